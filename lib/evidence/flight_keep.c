#include "evidence/flight_dump.h"

#include <stdio.h>
#include <string.h>
#include "base/str.h"

/* Tensors and dimensions told of one operation; the number of elements counts all. */
enum { TENSORS_SHOWN = 6, DIMS_SHOWN = 8 };

static bool is_done(const struct nh_fr_entry *e, const struct nh_rank_group *g)
{
	if (e->state == NH_WORK_COMPLETED)
		return true;
	if (!e->retired)
		return false;
	/* Gloo's entries never leave `scheduled`; NCCL's that timed out are retired too. */
	return e->p2p ? e->name.n > 5 && !memcmp(e->name.s, "gloo:", 5)
		      : g->completed != NH_UNKNOWN && e->seq <= g->completed;
}

/*
 * Coalesced operations have both sequence numbers in common with the "coalesced" entry that follows
 * them, and it alone is kept up to date: theirs would say "scheduled" for ever.
 */
static void join_batches(struct nh_flight *d)
{
	uint32_t *end = nh_new(d->a, uint32_t, d->groups.n + 1); /* by group: entry + 1 */
	uint32_t *place = nh_new(d->a, uint32_t, d->groups.n + 1);

	for (size_t i = d->nentries; i-- > 0;) {
		struct nh_fr_entry *e = &d->entries[i];
		const struct nh_fr_entry *last = &d->entries[end[e->nth] ? end[e->nth] - 1 : i];

		if (e->coalesced) {
			end[e->nth] = e->batch = (uint32_t)i + 1;
		} else if (last != e && e->seq == last->seq && e->p2p_seq == last->p2p_seq) {
			e->batch = end[e->nth];
			e->state = last->state;
			e->retired = last->retired;
			e->started = last->started;
			e->completed = last->completed;
		} else {
			end[e->nth] = 0;
		}
	}
	/* A ring that has wrapped may begin inside of a batch, whose places are not known then. */
	if (d->nentries && d->entries->record > 0)
		place[d->entries->nth] = NH_KEPT_BATCH;
	for (size_t i = 0; i < d->nentries; i++) {
		struct nh_fr_entry *e = &d->entries[i];

		e->place = e->batch ? place[e->nth]++ : 0;
		if (!e->batch || e->coalesced)
			place[e->nth] = 0;
	}
}

static bool tells_place(const struct nh_fr_entry *e)
{
	return e->place < NH_KEPT_BATCH || e->coalesced;
}

/* Counts what is alone, and the first that is seen of a batch; the rest goes with that. */
static bool room(struct nh_fr_group *g, const struct nh_fr_entry *e, size_t *kept, size_t most)
{
	if (!e->batch || e->batch != g->batch[e->p2p])
		g->keep[e->p2p] = (*kept)++ < most;
	g->batch[e->p2p] = e->batch;
	return g->keep[e->p2p] && tells_place(e);
}

void nh_fr_choose(struct nh_flight *d)
{
	join_batches(d);
	for (size_t i = 0; i < d->nentries; i++) {
		struct nh_fr_entry *e = &d->entries[i];
		struct nh_fr_group *g = &d->groups.v[e->nth];

		e->done = is_done(e, &g->row);
		e->keep = !e->done && room(g, e, &g->open[e->p2p], NH_KEPT_OPEN);
		g->row.p2p_cut |= e->p2p && !e->done && !e->keep;
	}
	for (size_t i = d->nentries; i-- > 0;) {
		struct nh_fr_entry *e = &d->entries[i];
		struct nh_fr_group *g = &d->groups.v[e->nth];

		if (e->done)
			e->keep = room(g, e, &g->done[e->p2p], NH_KEPT_DONE);
		/* The last one of all, so that it is known how far the rank ran ahead. */
		else if (!e->p2p && e->seq == g->row.last)
			e->keep = tells_place(e);
	}
}

static void append(char *buf, size_t size, const char *s, size_t n)
{
	size_t used = strlen(buf);

	if (used + n < size) {
		memcpy(buf + used, s, n);
		buf[used + n] = '\0';
	}
}

/* Elements of one tensor, NH_UNKNOWN for what is no list of small numbers. */
static int64_t tensor(const struct nh_tree *t, const struct nh_value *v, char *buf, size_t size)
{
	size_t n;
	const struct nh_value *dims = nh_tree_items(t, v, &n);
	int64_t numel = 1;
	char one[32];

	append(buf, size, "[", 1);
	for (size_t i = 0; i < n; i++) {
		int64_t dim = nh_value_int(&dims[i], -1);

		if (dim < 0 || __builtin_mul_overflow(numel, dim, &numel))
			return NH_UNKNOWN;
		if (i < DIMS_SHOWN)
			append(buf, size, one,
				(size_t)snprintf(
					one, sizeof(one), i ? ", %jd" : "%jd", (intmax_t)dim));
		else if (i == DIMS_SHOWN)
			append(buf, size, ", ...", 5);
	}
	append(buf, size, "]", 1);
	return numel;
}

/* A list of sizes as text, and the elements of all together. */
static const char *sizes(struct nh_flight *d, const struct nh_value *v, int64_t *numel)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, v, &n);
	char buf[TENSORS_SHOWN * DIMS_SHOWN * 22 + 64] = "", rest[1] = "";
	int64_t all = 0;

	if (v->kind != NH_V_LIST)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		bool shown = i < TENSORS_SHOWN;
		int64_t one;

		if (i && i <= TENSORS_SHOWN)
			append(buf, sizeof(buf), shown ? ", " : ", ...", shown ? 2 : 5);
		one = tensor(&d->tree, &items[i], shown ? buf : rest, shown ? sizeof(buf) : 1);
		if (one == NH_UNKNOWN || __builtin_add_overflow(all, one, &all))
			return NULL;
	}
	*numel = all;
	return nh_arena_strdup(d->a, buf);
}

/* "Float", or "Float, Half" where they differ. */
static const char *dtypes(struct nh_flight *d, const struct nh_value *v)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, v, &n);
	const struct nh_value *last = NULL;
	char buf[128] = "";

	for (size_t i = 0; i < n; i++) {
		if (items[i].kind != NH_V_STR ||
			(last && last->n == items[i].n && !memcmp(last->s, items[i].s, last->n)))
			continue;
		if (last)
			append(buf, sizeof(buf), ", ", 2);
		append(buf, sizeof(buf), items[i].s, items[i].n);
		last = &items[i];
	}
	return last ? nh_utf8_repair(d->a, buf, strlen(buf)) : NULL;
}

static const char *frame(struct nh_flight *d, const struct nh_fr_entry *e)
{
	const struct nh_value *name = NULL, *file;
	int64_t line = NH_UNKNOWN;
	const char *at;

	file = nh_fr_frame(&d->tree, e, &name, &line);
	if (!file)
		return NULL;
	at = nh_fr_text(d->a, file);
	if (line != NH_UNKNOWN)
		at = nh_arena_printf(d->a, "%s:%jd", at, (intmax_t)line);
	return name ? nh_arena_printf(d->a, "%s (%s)", nh_fr_text(d->a, name), at) : at;
}

static void tell(struct nh_flight *d, const struct nh_fr_entry *e, struct nh_collective *r)
{
	size_t n;
	const char *op = nh_fr_op(e, &n);

	r->rank = d->rank;
	r->source = d->source;
	r->group = d->groups.v[e->nth].row.group;
	r->record = e->record;
	r->seq = e->seq;
	r->p2p_seq = e->p2p_seq;
	r->op_id = e->op_id;
	r->created_ns = e->created;
	r->started_ns = e->started;
	r->completed_ns = e->completed;
	r->duration_us = e->duration_us;
	r->state = e->state;
	r->retired = e->retired;
	r->done = e->done;
	r->p2p = e->p2p;
	r->op = nh_utf8_repair(d->a, op, n);
	r->in_sizes = sizes(d, &e->in_sizes, &r->in_numel);
	r->out_sizes = sizes(d, &e->out_sizes, &r->out_numel);
	r->in_dtypes = dtypes(d, &e->in_dtypes);
	r->out_dtypes = dtypes(d, &e->out_dtypes);
	r->frame = frame(d, e);
}

void nh_fr_keep(struct nh_flight *d)
{
	for (size_t i = 0; i < d->nentries; i++)
		if (d->entries[i].keep)
			tell(d, &d->entries[i], nh_case_row(d->c, collective, collectives));
}
