#include "records/log_job.h"

#include <stdlib.h>
#include "records/flight_tell.h"
#include "rules/rule.h"
#include "records/straggler.h"

struct held {
	int64_t rank;
	size_t steps;
	double least, median; /* ms, sums over those steps */
};

struct race {
	struct nh_arena *a;
	NH_VEC(const struct nh_rank_metric *) rows; /* with a wait, by step and rank, each once */
	NH_VEC(struct held) held;
	size_t ranks, steps, decided;
};

static int by_step(const void *a, const void *b)
{
	const struct nh_rank_metric *x = *(const struct nh_rank_metric *const *)a;
	const struct nh_rank_metric *y = *(const struct nh_rank_metric *const *)b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_wait(const void *a, const void *b)
{
	const struct nh_rank_metric *x = *(const struct nh_rank_metric *const *)a;
	const struct nh_rank_metric *y = *(const struct nh_rank_metric *const *)b;

	return (x->wait_us > y->wait_us) - (x->wait_us < y->wait_us);
}

/* A log and a copy of it on the launcher's output say the same twice. */
static void gather(struct race *r, const struct nh_case *c)
{
	size_t n = 0;

	nh_for(m, &c->rank_metrics)
		if (m->rank != NH_UNKNOWN && m->wait_us >= 0)
			*nh_push(r->a, &r->rows) = m;
	if (r->rows.n)
		qsort(r->rows.v, r->rows.n, sizeof(*r->rows.v), by_step);
	for (size_t i = 0; i < r->rows.n; i++)
		if (!n || by_step(&r->rows.v[n - 1], &r->rows.v[i]) != 0)
			r->rows.v[n++] = r->rows.v[i];
	r->rows.n = n;
}

static size_t end_of(const struct race *r, size_t i)
{
	size_t end = i;

	while (end < r->rows.n && r->rows.v[end]->step == r->rows.v[i]->step)
		end++;
	return end;
}

static void run_step(struct race *r, const struct nh_rank_metric **row, size_t n)
{
	int64_t least, median;
	struct held *h = NULL;

	qsort(row, n, sizeof(*row), by_wait);
	least = row[0]->wait_us;
	median = row[n / 2]->wait_us;
	r->steps++;
	if (!nh_step_is_held(least, median))
		return;
	r->decided++;
	nh_for(old, &r->held)
		h = old->rank == row[0]->rank ? old : h;
	if (!h) {
		h = nh_push(r->a, &r->held);
		h->rank = row[0]->rank;
	}
	h->steps++;
	h->least += (double)least / 1000;
	h->median += (double)median / 1000;
}

const char *nh_log_host(const struct nh_case *c, int64_t rank)
{
	const char *host = NULL;

	nh_for(m, &c->rank_metrics)
		host = m->rank == rank && m->host ? m->host : host;
	return host;
}

static void tell(struct nh_case *c, const struct race *r, const struct held *h)
{
	struct nh_finding *f = nh_straggler_found(c, h->rank, NH_LIKELY);
	struct nh_ranks others = { 0 };
	double steps = (double)h->steps;

	f->title = nh_arena_printf(c->arena,
		"rank %jd waits least: the others wait for it in %zu of %zu steps that the logs tell of",
		(intmax_t)h->rank, h->steps, r->steps);
	f->culprit->host = nh_log_host(c, h->rank);
	nh_for(m, &r->rows)
		if ((*m)->rank != h->rank)
			nh_ranks_add(c->arena, &others, (*m)->rank);
	for (size_t i = 0; i < others.n; i++)
		*nh_push(c->arena, &f->victims) = nh_flight_actor(others.v[i]);
	nh_tell_evidence(c->arena, f,
		"wait a step, by the training loop's own numbers: rank %jd %.0f ms, the median rank "
		"%.0f ms",
		(intmax_t)h->rank, h->least / steps, h->median / steps);
	nh_log_tell_loss(c, f);
	nh_tell_unknown(c->arena, f, "why it is late: the numbers say when, not why");
}

void nh_log_stragglers(struct nh_case *c)
{
	struct race r = { .a = c->arena };
	const struct held *most = NULL;

	gather(&r, c);
	for (size_t i = 0; i < r.rows.n; i = end_of(&r, i))
		r.ranks = end_of(&r, i) - i > r.ranks ? end_of(&r, i) - i : r.ranks;
	for (size_t i = 0, end; r.ranks > 1 && i < r.rows.n; i = end) {
		end = end_of(&r, i);
		if (end - i == r.ranks)
			run_step(&r, r.rows.v + i, end - i);
	}
	nh_for(h, &r.held)
		most = !most || h->steps > most->steps ? h : most;
	if (!most || r.steps < NH_STRAGGLER_STEPS)
		return;
	if (most->steps * 100 >= r.steps * NH_STRAGGLER_SHARE)
		tell(c, &r, most);
	else if (r.decided * 100 >= r.steps * NH_STRAGGLER_SHARE)
		nh_straggler_goes_round(c, "wait", r.held.n);
}

const char *nh_log_size(struct nh_arena *a, int64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	size_t u = 0;

	for (; v >= 1024 && u + 1 < sizeof(units) / sizeof(*units); u++)
		v /= 1024;
	return nh_arena_printf(a, u ? "%.2f %s" : "%.0f %s", v, units[u]);
}

void nh_log_tell_headroom(
	struct nh_case *c, struct nh_finding *f, const struct nh_log_event *e, int64_t rank)
{
	const struct nh_rank_metric *first = NULL, *last = NULL;
	int64_t others = NH_UNKNOWN, total = e->capacity;
	struct nh_arena *a = c->arena;

	nh_for(m, &c->rank_metrics) {
		if (m->peak_bytes < 0)
			continue;
		if (m->rank != rank) {
			others = m->peak_bytes > others ? m->peak_bytes : others;
			continue;
		}
		first = !first || m->step < first->step ? m : first;
		last = !last || m->step > last->step ? m : last;
		total = total == NH_UNKNOWN ? m->total_bytes : total;
	}
	if (!last)
		return;
	nh_tell_evidence(a, f, "peak memory of this rank: %s at step %jd, %s at step %jd%s%s",
		nh_log_size(a, first->peak_bytes), (intmax_t)first->step,
		nh_log_size(a, last->peak_bytes), (intmax_t)last->step,
		total > last->peak_bytes ? ", headroom then " : "",
		total > last->peak_bytes ? nh_log_size(a, total - last->peak_bytes) : "");
	if (others != NH_UNKNOWN)
		nh_tell_evidence(a, f, "the other ranks' highest peak: %s", nh_log_size(a, others));
}

void nh_log_tell_loss(struct nh_case *c, struct nh_finding *f)
{
	int64_t step = NH_UNKNOWN, saved = NH_UNKNOWN;

	nh_for(m, &c->rank_metrics) {
		step = m->step > step ? m->step : step;
		saved = m->checkpoint_step > saved ? m->checkpoint_step : saved;
	}
	if (saved >= 0 && step >= saved)
		nh_tell_evidence(c->arena, f,
			"the last step told is %jd, the last checkpoint that of step %jd: %jd steps are "
			"lost on a crash",
			(intmax_t)step, (intmax_t)saved, (intmax_t)(step - saved));
}
