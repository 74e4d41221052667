#include <stdlib.h>
#include <string.h>
#include "analyse/analyse.h"
#include "graph/words.h"
#include "base/set.h"
#include "base/str.h"

enum { PIDS_SHOWN = 4 };

static struct nh_group *group_of(
	struct nh_arena *a, struct nh_groups *all, const struct nh_group *like)
{
	nh_for(g, all)
		if (g->standing == like->standing && g->known == like->known &&
			nh_streq(g->who, like->who) &&
			(g->standing == NH_IDLE || nh_streq(g->what, like->what)) &&
			nh_streq(g->whom, like->whom) && nh_streq(g->where, like->where))
			return g;

	struct nh_group *g = nh_push(a, all);

	*g = *like;
	return g;
}

static int most_telling(const void *a, const void *b)
{
	const struct nh_group *x = a, *y = b;
	const struct nh_thread *p = x->threads.v[0], *q = y->threads.v[0];

	if (x->standing != y->standing)
		return (int)x->standing - (int)y->standing;
	if (x->threads.n != y->threads.n)
		return x->threads.n < y->threads.n ? 1 : -1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	return (p->tid > q->tid) - (p->tid < q->tid);
}

/* Of an idle thread's futex nothing is asked: what it is there for says more. */
static const char *what_of(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t,
	const struct nh_thread_stand *s)
{
	return s->standing == NH_IDLE && nh_graph_wait(g, t).kind == NH_WAIT_FUTEX
		       ? s->shape
		       : nh_state_words(a, &g->ix, t);
}

static void add(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t,
	struct nh_set *seen, struct nh_groups *ret)
{
	struct nh_thread_stand s = nh_thread_stands(a, g, t);
	struct nh_group like = { .standing = s.standing,
		.known = s.role != NULL,
		.who = s.role ? s.role : t->comm,
		.what = what_of(a, g, t, &s),
		.whom = s.whom,
		.where = s.where };
	struct nh_group *to = group_of(a, ret, &like);
	size_t at = (size_t)(to - ret->v) + 1;

	/* Idle threads of one role are one line, however they do it. */
	if (!nh_streq(to->what, like.what))
		to->what = s.shape;
	*nh_push(a, &to->threads) = t;
	ret->threads++;
	ret->standing[s.standing]++;
	/* Place 0 stands for all groups together. */
	ret->processes += nh_set_add(a, seen, nh_hash(&t->pid, sizeof(t->pid), 1));
	if (nh_set_add(a, seen, nh_hash(&t->pid, sizeof(t->pid), at + 1))) {
		to->processes++;
		if (to->pids.n < PIDS_SHOWN)
			*nh_push(a, &to->pids) = t->pid;
	}
}

void nh_eliminate(struct nh_arena *a, const struct nh_case *c, struct nh_groups *ret)
{
	struct nh_set seen = { 0 };
	struct nh_graph g;

	memset(ret, 0, sizeof(*ret));
	if (!c->samples.n)
		return;
	ret->one_sample = c->samples.n < 2;
	nh_graph_build(a, c, c->samples.v[c->samples.n - 1].sample, &g);
	nh_for(t, &g.ix.threads) {
		const struct nh_process *p = nh_index_process(&g.ix, (*t)->pid);

		/* Read only to tell whether they are ranks: not part of the job. */
		if (!p || p->why != NH_WHY_ANCESTOR)
			add(a, &g, *t, &seen, ret);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), most_telling);
}
