#include <stdlib.h>
#include <string.h>
#include "analyse/analyse.h"
#include "analyse/nccl_role.h"
#include "analyse/words.h"
#include "base/set.h"
#include "base/str.h"
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
	if (!is.kind)
		return nh_arena_printf(a, "futex, %s", bound);
	return nh_arena_printf(
		a, "%s, %s%s%s", is.what, bound, is.who ? ": " : "", is.who ? is.who : "");
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
	fd = w.kind == NH_WAIT_READ || w.kind == NH_WAIT_WRITE || w.kind == NH_WAIT_ACCEPT
		     ? nh_index_fd(ix, t, w.fd)
		     : NULL;
	return fd ? nh_arena_printf(a, "%s on %s", nh_wait_words(a, &w), nh_fd_words(fd))
		  : nh_wait_words(a, &w);
}

static bool is_victim(const struct nh_case *c, const struct nh_thread *t)
{
	nh_for(f, &c->verdict.findings)
		nh_for(v, &f->victims)
			if (v->pid == t->pid && v->tid == t->tid)
				return true;
	return false;
}

static struct nh_group *group_of(
	struct nh_arena *a, struct nh_groups *all, const char *what, bool in_chain)
{
	nh_for(g, all)
		if (g->in_chain == in_chain && !strcmp(g->what, what))
			return g;

	struct nh_group *g = nh_push(a, all);

	g->what = what;
	g->in_chain = in_chain;
	if (in_chain)
		g->verdict = "in a finding's chain";
	return g;
}

static int most_telling(const void *a, const void *b)
{
	const struct nh_group *x = a, *y = b;

	if (x->in_chain != y->in_chain)
		return y->in_chain - x->in_chain;
	if (x->threads != y->threads)
		return x->threads < y->threads ? 1 : -1;
	return strcmp(x->what, y->what);
}

/* What it waits in, and what it is for where NCCL made it: its threads have no names by default. */
static const char *occupation(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	const char *state = nh_state_words(a, &g->ix, t);
	enum nh_nccl_role role = nh_nccl_role(g, t);

	return role == NH_ROLE_NONE
		       ? state
		       : nh_arena_printf(a, "%s: NCCL %s", state, nh_nccl_role_row(role)->word);
}

void nh_eliminate(const struct nh_case *c, struct nh_groups *ret)
{
	struct nh_arena *a = c->arena;
	struct nh_set seen = { 0 };
	struct nh_graph g;

	memset(ret, 0, sizeof(*ret));
	if (!c->samples.n)
		return;
	nh_graph_build(a, c, c->samples.v[c->samples.n - 1].sample, &g);
	nh_for(t, &g.ix.threads) {
		const struct nh_process *p = nh_index_process(&g.ix, (*t)->pid);

		/* Read only to tell whether they are ranks: not part of the job. */
		if (p && p->why == NH_WHY_ANCESTOR)
			continue;

		struct nh_group *to = group_of(a, ret, occupation(a, &g, *t), is_victim(c, *t));
		uint64_t key = nh_hash(&(*t)->pid, sizeof((*t)->pid), (uint64_t)(to - ret->v));

		if (!to->threads++)
			to->comm = (*t)->comm;
		else if (!nh_streq(to->comm, (*t)->comm))
			to->comm = NULL;
		if (nh_set_add(a, &seen, key)) {
			to->processes++;
			if (to->pids.n < PIDS_SHOWN)
				*nh_push(a, &to->pids) = (*t)->pid;
		}
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), most_telling);
}
