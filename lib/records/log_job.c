#include "records/log_job.h"

#include <stdlib.h>
#include "base/str.h"
#include "know/log_lines.h"

static struct nh_log_rank *rank_at(struct nh_log_job *job, int64_t rank)
{
	struct nh_log_rank *r;

	nh_for(old, &job->ranks)
		if (old->rank == rank)
			return old;
	r = nh_push(job->a, &job->ranks);
	r->rank = rank;
	for (size_t i = 0; i <= NH_CLOCK_DAY; i++)
		r->when[i] = NH_UNKNOWN;
	return r;
}

static bool by_launcher(const struct nh_log_event *e)
{
	return e->kind == NH_LOG_SIGNAL || e->kind == NH_LOG_EXIT;
}

/* The launcher's line of a failure tells the local rank, its summary the global one. */
static bool told_elsewhere(const struct nh_case *c, const struct nh_log_event *e)
{
	nh_for(other, &c->log_events)
		if (by_launcher(other) && other->rank != NH_UNKNOWN && e->pid != NH_UNKNOWN &&
			other->pid == e->pid)
			return true;
	return false;
}

static int64_t rank_of(const struct nh_log_event *e)
{
	return e->rank != NH_UNKNOWN ? e->rank : by_launcher(e) ? e->local_rank : e->group_rank;
}

/* Whether a comes before b: 1, 0, or -1 where nothing tells. */
static int before(const struct nh_log_event *a, const struct nh_log_event *b)
{
	if (nh_streq(a->source, b->source))
		return a->line < b->line;
	if (a->clock && a->clock == b->clock && a->at_ms != b->at_ms)
		return a->at_ms < b->at_ms;
	return -1;
}

/* The rank's own failure counts if it came before what it suffered of others.  Where no time tells,
 * memory, GPU and workers are causes of their own; an exception may be the echo. */
static void take_cause(struct nh_log_rank *r, const struct nh_log_event *e)
{
	int first = r->follow ? before(e, r->follow) : 1;

	if (!first || (first < 0 && e->kind == NH_LOG_EXCEPTION))
		return;
	if (!r->cause || before(e, r->cause) == 1)
		r->cause = e;
	if (e->clock && (r->when[e->clock] == NH_UNKNOWN || e->at_ms < r->when[e->clock]))
		r->when[e->clock] = e->at_ms;
}

static void take_launcher(struct nh_log_rank *r)
{
	enum { TERM = 15 };

	if (!r->ended || r->cause)
		return;
	if (r->ended->signal == TERM)
		r->follow = r->follow ? r->follow : r->ended;
	else if (!r->follow)
		take_cause(r, r->ended);
}

static void take_events(struct nh_log_job *job)
{
	nh_for(e, &job->c->log_events) {
		struct nh_log_rank *r;

		if (e->survived ||
			(by_launcher(e) && e->rank == NH_UNKNOWN && told_elsewhere(job->c, e)))
			continue;
		r = rank_at(job, rank_of(e));
		if (by_launcher(e))
			r->ended = !r->ended || e->root ? e : r->ended;
		else if (nh_log_part(e->kind) == NH_LOG_FOLLOWS &&
			 (!r->follow || before(e, r->follow) == 1))
			r->follow = e;
	}
	nh_for(e, &job->c->log_events)
		if (!e->survived && !by_launcher(e) && nh_log_part(e->kind) == NH_LOG_CAUSE)
			take_cause(rank_at(job, rank_of(e)), e);
	nh_for(r, &job->ranks)
		take_launcher(r);
}

/* Negative: a failed before b; 0: nothing tells. */
static int compare(const struct nh_log_rank *a, const struct nh_log_rank *b)
{
	bool x = a->ended && a->ended->root, y = b->ended && b->ended->root;

	for (size_t i = NH_CLOCK_EPOCH; i <= NH_CLOCK_DAY; i++)
		if (a->when[i] != NH_UNKNOWN && b->when[i] != NH_UNKNOWN &&
			a->when[i] != b->when[i])
			return a->when[i] < b->when[i] ? -1 : 1;
	if (nh_streq(a->cause->source, b->cause->source) && a->cause->line != b->cause->line)
		return a->cause->line < b->cause->line ? -1 : 1;
	if ((a->cause->kind == NH_LOG_OOM) != (b->cause->kind == NH_LOG_OOM))
		return a->cause->kind == NH_LOG_OOM ? -1 : 1;
	return y - x;
}

/* compare() is no order over all pairs, so the first is looked for by itself. */
static void find_first(struct nh_log_job *job)
{
	size_t best = 0;

	nh_for(r, &job->ranks)
		if (r->cause)
			*nh_push(job->a, &job->causes) = r;
	for (size_t i = 1; i < job->causes.n; i++)
		if (compare(job->causes.v[i], job->causes.v[best]) < 0)
			best = i;
	if (job->causes.n) {
		const struct nh_log_rank *first = job->causes.v[best];

		job->causes.v[best] = job->causes.v[0];
		job->causes.v[0] = first;
	}
	job->ordered = true;
	for (size_t i = 1; i < job->causes.n; i++)
		job->ordered &= compare(job->causes.v[0], job->causes.v[i]) < 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct nh_log_rank *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

void nh_log_job_build(struct nh_case *c, struct nh_log_job *ret)
{
	*ret = (struct nh_log_job){ .a = c->arena, .c = c };
	nh_for(file, &c->log_files)
		nh_for(rank, &file->ranks)
			rank_at(ret, *rank);
	nh_for(file, &c->log_files)
		if (file->rank != NH_UNKNOWN)
			rank_at(ret, file->rank);
	nh_for(m, &c->rank_metrics)
		if (m->rank != NH_UNKNOWN)
			rank_at(ret, m->rank);
	take_events(ret);
	if (ret->ranks.n)
		qsort(ret->ranks.v, ret->ranks.n, sizeof(*ret->ranks.v), by_rank);
	find_first(ret);
	nh_for(r, &ret->ranks)
		if (r->rank != NH_UNKNOWN && !r->cause && !r->follow)
			nh_ranks_add(ret->a, &ret->silent, r->rank);
}
