#include "evidence/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "evidence/log_reader.h"
#include "know/log_lines.h"

static const char traceback[] = "Traceback (most recent call last):";

static bool begins(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

/* "torch.OutOfMemoryError: …", "KeyError: 3", "AssertionError" */
static bool is_exception(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (isalnum((unsigned char)s[i]) || s[i] == '_' || s[i] == '.'))
		i++;
	return i > 3 && isalpha((unsigned char)*s) && (i == n || s[i] == ':');
}

int nh_log_exception(const char *s, size_t n)
{
	const struct nh_log_line *known = nh_log_line_of(s, n);

	return known ? known->kind : is_exception(s, n) ? NH_LOG_EXCEPTION : 0;
}

struct nh_log_stream *nh_log_stream_of(struct nh_log *l, int64_t rank)
{
	struct nh_log_stream *grown;
	size_t cap = l->streams_cap ? 2 * l->streams_cap : 8;

	if (l->nstreams == NH_LOG_STREAMS_MAX)
		rank = NH_UNKNOWN;
	for (size_t i = l->nstreams; i-- > 0;)
		if (l->streams[i].rank == rank)
			return &l->streams[i];
	if (l->nstreams == l->streams_cap) {
		grown = realloc(l->streams, cap * sizeof(*grown));
		if (!grown)
			return NULL;
		l->streams = grown;
		l->streams_cap = cap;
	}
	l->streams[l->nstreams] = (struct nh_log_stream){ .rank = rank };
	nh_row_init(&nh_save_cost_type, &l->streams[l->nstreams].save);
	return &l->streams[l->nstreams++];
}

/* "gpu03:4711:4720 [0] …" of NCCL */
static void nccl_host(struct nh_arena *a, const struct nh_log_head *h, struct nh_log_event *e)
{
	const char *colon = memchr(h->body, ':', h->n < 64 ? h->n : 64);
	size_t at = colon ? (size_t)(colon - h->body) + 1 : 0, took;

	took = at ? nh_log_int(h->body + at, h->n - at, &e->pid) : 0;
	if (took && at + took < h->n && h->body[at + took] == ':')
		e->host = nh_utf8_repair(a, h->body, at - 1);
}

struct nh_log_event *nh_log_event_add(
	struct nh_log *l, struct nh_log_stream *st, const struct nh_log_head *h, int kind)
{
	struct nh_log_event *e;

	if (st->kept[kind] == NH_KEPT_EVENTS)
		return NULL;
	st->kept[kind]++;
	st->fresh = true;
	e = nh_case_row(l->c, log_event, log_events);
	e->kind = kind;
	e->rank = st->rank;
	e->group_rank = h->group_rank;
	e->line = l->row.lines;
	e->at_ms = h->at_ms;
	e->clock = h->clock;
	e->source = l->source;
	e->text = nh_log_text(l->c->arena, h->body, h->n);
	nh_log_fields(l->c->arena, h->body, h->n, e);
	if (kind == NH_LOG_NCCL)
		nccl_host(l->c->arena, h, e);
	return e;
}

/* Whoever goes on with its steps has got over what went before: nothing of it ended the rank. */
static void survive(struct nh_log *l, struct nh_log_stream *st)
{
	for (size_t i = l->first; st->fresh && i < l->c->log_events.n; i++)
		if (l->c->log_events.v[i].rank == st->rank)
			l->c->log_events.v[i].survived = true;
	st->fresh = false;
}

/* Each number as it was last told. */
static void add_saving(struct nh_log_stream *st, const struct nh_save_cost *s)
{
	for (const struct nh_field *f = nh_save_cost_type.fields; f->name; f++) {
		const int64_t *from = (const void *)((const char *)s + f->offset);

		if (f->kind != NH_F_INT || *from == NH_UNKNOWN)
			continue;
		*(int64_t *)((char *)&st->save + f->offset) = *from;
		st->saves = true;
	}
}

static void add_metric(struct nh_log *l, struct nh_log_stream *st, const struct nh_log_step *told)
{
	struct nh_rank_metric *m;

	if (told->host[0] && !nh_streq(told->host, st->host))
		st->host = nh_utf8_repair(l->c->arena, told->host, strlen(told->host));
	if (told->metric.step < 0)
		return;
	if (!st->ring)
		st->ring = calloc(NH_KEPT_METRICS, sizeof(*st->ring));
	if (!st->ring)
		return;
	survive(l, st);
	m = &st->ring[st->metrics++ % NH_KEPT_METRICS];
	*m = told->metric;
	m->rank = st->rank;
	m->host = st->host;
}

/* What a line tells; 0 = nothing.  Program text of a traceback may hold anything. */
static int kind_of(struct nh_log_stream *st, const struct nh_log_head *h)
{
	const struct nh_log_line *known;

	if (begins(h->body, h->n, traceback)) {
		st->traceback = true;
		return 0;
	}
	if (st->traceback) {
		if (!h->n || isspace((unsigned char)*h->body))
			return 0;
		st->traceback = false;
		return nh_log_exception(h->body, h->n);
	}
	if (!h->n || isspace((unsigned char)*h->body))
		return 0;
	known = nh_log_line_of(h->body, h->n);
	return known ? known->kind : 0;
}

/* srun's own lines, among those of its tasks. */
static bool is_slurm(const char *s, size_t n)
{
	return begins(s, n, "srun: ") || begins(s, n, "slurmstepd: ");
}

/* Whose line it is.  Many a line begins with a number: it is a label if all do. */
static int64_t rank_of(struct nh_log *l, const struct nh_log_head *h, const char *s, size_t n)
{
	l->unlabelled |= n && h->label == NH_UNKNOWN && !is_slurm(s, n);
	if (h->rank != NH_UNKNOWN)
		return h->rank;
	if (l->rank != NH_UNKNOWN)
		return l->rank;
	return h->label != NH_UNKNOWN && !l->unlabelled ? h->label : h->role_rank;
}

static void take_line(struct nh_log *l, const char *s, size_t n)
{
	struct nh_log_stream *st;
	struct nh_log_step told;
	struct nh_log_head h;
	int64_t rank;
	int kind;

	l->row.lines++;
	if (n && s[n - 1] == '\r')
		n--;
	if (nh_log_is_error(s, n)) {
		nh_log_error(l, s, n);
		return;
	}
	nh_log_head(s, n, &h);
	if (h.rank != NH_UNKNOWN && l->path_rank != NH_UNKNOWN)
		l->rank = h.rank; /* the place tells the local rank, PyTorch the global one */
	rank = rank_of(l, &h, s, n);
	if (nh_log_metrics(h.body, h.n, &told)) {
		st = nh_log_stream_of(l, told.metric.rank == NH_UNKNOWN ? rank : told.metric.rank);
		if (st) {
			add_metric(l, st, &told);
			add_saving(st, &told.save);
		}
		return;
	}
	nh_log_summary(l, &h);
	st = nh_log_stream_of(l, rank);
	kind = st ? kind_of(st, &h) : 0;
	if (kind)
		nh_log_event_add(l, st, &h, kind);
}

static void end_line(struct nh_log *l)
{
	if (l->n)
		take_line(l, l->line, l->n);
	l->row.cut += l->skipping;
	l->n = 0;
	l->skipping = false;
}

void nh_log_feed(struct nh_log *l, const char *buf, size_t len)
{
	const char *end = buf + len;

	while (buf < end) {
		const char *nl = memchr(buf, '\n', (size_t)(end - buf));
		size_t n = (size_t)((nl ? nl : end) - buf), room = sizeof(l->line) - l->n;

		if (nl && !l->n && n <= room) {
			take_line(l, buf, n);
		} else {
			memcpy(l->line + l->n, buf, n < room ? n : room);
			l->n += n < room ? n : room;
			l->skipping |= n > room;
			if (nl)
				end_line(l);
		}
		buf += n + !!nl;
	}
}

void nh_log_begin(struct nh_log *l, const char *path)
{
	l->source = nh_utf8_repair(l->c->arena, path, strlen(path));
	l->path_rank = l->rank = nh_log_path_rank(path);
	l->first = l->c->log_events.n;
	l->summary = l->root = l->unlabelled = false;
	l->failure = (struct nh_log_event){ 0 };
	nh_row_init(&nh_log_event_type, &l->failure);
	l->row = (struct nh_log_file){ 0 };
	nh_row_init(&nh_log_file_type, &l->row);
	l->row.lines = l->row.cut = 0;
}

void nh_log_end(struct nh_log *l)
{
	end_line(l);
	for (size_t i = 0; i < l->nstreams; i++) {
		struct nh_log_stream *st = &l->streams[i];
		size_t n = st->metrics < NH_KEPT_METRICS ? st->metrics : NH_KEPT_METRICS;

		for (size_t k = st->metrics - n; k < st->metrics; k++) {
			struct nh_rank_metric *m = nh_case_row(l->c, rank_metric, rank_metrics);

			*m = st->ring[k % NH_KEPT_METRICS];
			m->source = l->source;
		}
		free(st->ring);
		if (st->saves) {
			struct nh_save_cost *s = nh_case_row(l->c, save_cost, save_costs);

			*s = st->save;
			s->rank = st->rank;
			s->source = l->source;
		}
		if (st->rank != NH_UNKNOWN)
			*nh_push(l->c->arena, &l->row.ranks) = st->rank;
	}
	l->nstreams = 0;
	l->row.rank = l->rank;
	l->row.source = l->source;
	*nh_case_row(l->c, log_file, log_files) = l->row;
}

struct nh_log *nh_log_new(struct nh_case *c)
{
	struct nh_log *l = calloc(1, sizeof(*l));

	if (l)
		l->c = c;
	return l;
}

void nh_log_free(struct nh_log *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nstreams; i++)
		free(l->streams[i].ring);
	free(l->streams);
	free(l);
}

/* Prose and programs may quote any line of the table: more than the words must be there. */
static bool is_log_line(const char *s, size_t n)
{
	const struct nh_log_line *known;
	struct nh_log_step told;
	struct nh_log_head h;

	nh_log_head(s, n, &h);
	if (h.known || begins(h.body, h.n, traceback) || nh_log_metrics(h.body, h.n, &told))
		return true;
	known = h.n && !isspace((unsigned char)*h.body) ? nh_log_line_of(h.body, h.n) : NULL;
	return known &&
	       (h.at_ms != NH_UNKNOWN || is_exception(h.body, h.n) || known->kind == NH_LOG_EXIT ||
		       known->kind == NH_LOG_CLOSING || known->kind == NH_LOG_NCCL);
}

bool nh_log_is(const char *buf, size_t len)
{
	if (nh_log_is_error(buf, len))
		return true;
	while (len) {
		const char *nl = memchr(buf, '\n', len);
		size_t n = nl ? (size_t)(nl - buf) : len;

		if (is_log_line(buf, n))
			return true;
		buf += nl ? n + 1 : n;
		len -= nl ? n + 1 : n;
	}
	return false;
}
