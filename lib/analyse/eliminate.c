#include <stdlib.h>
#include <string.h>
#include "analyse/analyse.h"
#include "analyse/locks.h"
#include "analyse/words.h"
#include "base/set.h"
#include "base/str.h"
#include "know/file_lock.h"
#include "know/rwlock.h"
#include "know/sync.h"

enum { PIDS_SHOWN = 4 };

/* The object by the stack, the readers of a lock by its memory: a futex alone says neither. */
static const char *futex_words(struct nh_arena *a, const struct nh_index *ix,
	const struct nh_thread *t, const struct nh_wait *w)
{
	struct nh_sync is =
		nh_sync_of(t->stack != NH_UNKNOWN ? nh_index_stack(ix, t->stack) : NULL);
	const char *bound = w->timeout_ms == -1 ? "no timeout" : "with a timeout";
	struct nh_rwlock rw;

	if (nh_rwlock_decode(t, &rw) && rw.readers)
		return nh_arena_printf(a,
			"read-write lock, %s: %jd reader%s it, who is not recorded", bound,
			(intmax_t)rw.readers, rw.readers == 1 ? " has" : "s have");
	return nh_arena_printf(a, "%s, %s%s%s%s", is.kind ? is.what : "futex", bound,
		nh_shared_words(a, ix, t), is.who ? ": " : "", is.who ? is.who : "");
}

/* What a thread waits in, with the kind of object where the descriptor tells it. */
const char *nh_state_words(struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(ix->c->machine, t);
	const struct nh_fd *fd;

	if (nh_streq(t->state, "Z") || nh_streq(t->state, "X"))
		return "ended";
	if (nh_streq(t->state, "D"))
		return t->wchan ? nh_arena_printf(a, "uninterruptible in the kernel (%s)", t->wchan)
				: "uninterruptible in the kernel";
	if (nh_streq(t->state, "T") || nh_streq(t->state, "t"))
		return nh_streq(t->state, "T") ? "stopped" : "stopped by a tracer";
	if (t->running)
		return "running";
	if (t->nr == NH_UNKNOWN)
		return "not known";
	if (!w.call)
		return nh_arena_printf(a, "system call %jd", (intmax_t)t->nr);
	if (w.kind == NH_WAIT_FUTEX)
		return futex_words(a, ix, t, &w);
	if (w.kind == NH_WAIT_EPOLL)
		return nh_arena_printf(a, "%s%s%s", nh_wait_words(a, &w), t->waits.n ? ": " : "",
			nh_set_words(a, ix, t));
	if (nh_file_lock_wanted(&w, t))
		return nh_lock_wait_words(a, ix, t);
	if (nh_ipc_wait_words(a, ix, t, &w))
		return nh_ipc_wait_words(a, ix, t, &w);
	fd = w.kind == NH_WAIT_READ || w.kind == NH_WAIT_WRITE || w.kind == NH_WAIT_ACCEPT
		     ? nh_index_fd(ix, t, w.fd)
		     : NULL;
	return fd ? nh_arena_printf(a, "%s on %s", nh_wait_words(a, &w), nh_fd_words(fd))
		  : nh_wait_words(a, &w);
}

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
