/* What one rank does, by the stacks of its threads and by both samples' counters. */
#include "ranks/live_job.h"
#include "rules/nccl.h"
#include "base/str.h"

/* A share of the interval that a thread which only wakes up to look does not use. */
enum { BUSY_PERCENT = 10 };

/* The outermost function names the operation, the most telling one its kind. */
static struct nh_call call_of(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_call c = { .t = t, .kind = NH_COLL_NONE };
	const struct nh_stack *s = nh_stack_of(g, t);

	if (!s)
		return c;
	nh_for(f, &s->frames) {
		struct nh_coll is = nh_coll_of(f);

		if (is.kind == NH_COLL_SERVANT) {
			c.servant = true;
		} else if (is.kind != NH_COLL_NONE) {
			c.busy |= is.kind == NH_COLL_DEVICE || is.kind == NH_COLL_STORE;
			c.op = is.op ? is.op : c.op;
			c.kind = is.kind > c.kind ? is.kind : c.kind;
			c.from = NULL;
		} else if (c.kind != NH_COLL_NONE && !c.from && f->python &&
			   !nh_coll_is_library(f)) {
			c.from = f;
		}
	}
	if (c.servant && c.kind == NH_COLL_NONE)
		c.kind = NH_COLL_WORK;
	c.busy |= t->running;
	return c;
}

/* Of two calls of one process: what its own code made says more than what runs for it. */
static bool tells_more(const struct nh_call *c, const struct nh_call *than)
{
	if (than->kind == NH_COLL_NONE || c->servant != than->servant)
		return than->kind == NH_COLL_NONE || than->servant;
	return c->kind > than->kind;
}

static const struct nh_thread *before(const struct nh_graph *g, const struct nh_thread *t)
{
	nh_for(old, &g->ix.c->threads)
		if (old->sample < t->sample && old->pid == t->pid && old->tid == t->tid)
			return old;
	return NULL;
}

static enum nh_move move_of(const struct nh_live_rank *r)
{
	if (nh_has_not_moved(r->g, r->t))
		return NH_MOVE_STILL;
	if (!before(r->g, r->t))
		return NH_MOVE_ONCE;
	return r->doing == NH_DOES_WAIT && r->call.busy ? NH_MOVE_BUSY : NH_MOVE_ON;
}

/* One pass over the rows: a host may have very many threads. */
static int64_t cpu_between(const struct nh_live_rank *r)
{
	int64_t ticks = 0;

	nh_for(t, &r->g->ix.c->threads)
		if (t->pid == r->p->pid && t->utime != NH_UNKNOWN && t->stime != NH_UNKNOWN)
			ticks += (t->sample == r->g->ix.sample ? 1 : -1) * (t->utime + t->stime);
	return r->g->ix.c->samples.n != 2 || ticks < 0 ? 0 : ticks;
}

static int64_t interval_ticks(const struct nh_case *c)
{
	int64_t hz = c->ticks_per_s > 0 ? c->ticks_per_s : 100;

	return c->samples.n < 2
		       ? 0
		       : (c->samples.v[c->samples.n - 1].at_ms - c->samples.v[0].at_ms) * hz / 1000;
}

bool nh_live_in_nccl_setup(const struct nh_live_rank *r)
{
	size_t n;
	const struct nh_thread *const *t = r->p ? nh_index_threads(&r->g->ix, r->p->pid, &n) : NULL;

	for (size_t i = 0; t && i < n; i++)
		if (nh_on_stack(r->g, t[i], NH_TD_INIT) || nh_nccl_tears_down(r->g, t[i]))
			return true;
	return false;
}

void nh_live_observe(struct nh_live_rank *r)
{
	size_t n;
	const struct nh_thread *const *t = nh_index_threads(&r->g->ix, r->p->pid, &n);
	const struct nh_thread *main = nh_index_thread(&r->g->ix, r->p->pid, r->p->pid);

	r->cpu = cpu_between(r);
	for (size_t i = 0; i < n; i++) {
		struct nh_call c = call_of(r->g, t[i]);

		if (c.kind == NH_COLL_NONE)
			continue;
		if (r->call.kind == NH_COLL_ALL && c.kind == NH_COLL_ALL && !c.servant &&
			!r->call.servant && c.op && r->call.op && !nh_streq(r->call.op, c.op))
			r->second = c;
		else if (tells_more(&c, &r->call))
			r->call = c;
	}
	r->t = r->call.kind != NH_COLL_NONE ? r->call.t : main ? main : n ? t[0] : NULL;
	r->doing = r->call.kind != NH_COLL_NONE	       ? NH_DOES_WAIT
		   : r->t && r->t->stack != NH_UNKNOWN ? NH_DOES_OUTSIDE
						       : NH_DOES_UNSEEN;
	if (nh_streq(r->p->state, "Z") && r->p->nthreads <= 1)
		r->doing = NH_DOES_GONE;
	if (!r->t)
		return;
	r->move = move_of(r);
	/* Data still flows under a caller that stands still. */
	if (r->doing == NH_DOES_WAIT && r->move == NH_MOVE_STILL &&
		r->cpu * 100 > interval_ticks(r->g->ix.c) * BUSY_PERCENT)
		r->move = NH_MOVE_BUSY;
}
