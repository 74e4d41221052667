#include "analyse/graph.h"

#include <stdlib.h>
#include "base/str.h"
#include "know/mutex.h"

#define LESS(a, b) (((a) > (b)) - ((a) < (b)))

static struct nh_node thread_node(const struct nh_thread *t)
{
	return (struct nh_node){ NH_NODE_THREAD, t };
}

static struct nh_node socket_node(const struct nh_socket *s)
{
	return (struct nh_node){ NH_NODE_SOCKET, s };
}

struct nh_wait nh_graph_wait(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_wait_decode(g->ix.c->machine, t);
}

static void add(struct nh_arena *a, struct nh_graph *g, struct nh_edge e)
{
	*nh_push(a, &g->edges) = e;
}

/*
 * pthread_join waits on the word where the kernel will clear the joined thread's TID, so waiting
 * value and word both are that TID, as its own pid namespace numbers it.
 */
static void add_join(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_thread *target;

	if (!nh_futex_is_join_form(w->futex_op) || w->futex_val != t->futex_word || !w->futex_val)
		return;
	target = nh_index_thread_ns(&g->ix, t->pid, w->futex_val);
	if (target && target != t)
		add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_JOINS,
				.from = thread_node(t),
				.to = thread_node(target) });
}

/* The owner's word in the mutex is a TID; one that is no thread of this process makes no edge. */
static void add_lock(struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_mutex m;
	const struct nh_thread *owner;

	if (!nh_mutex_decode(t, &m))
		return;
	owner = nh_index_thread_ns(&g->ix, t->pid, m.owner);
	if (owner)
		add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_LOCKS,
				.from = thread_node(t),
				.to = thread_node(owner) });
}

static void add_child(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	nh_for(p, &g->ix.processes) {
		const struct nh_process *child = *p;
		bool same = child->nspid.n ? child->nspid.v[child->nspid.n - 1] == w->child
					   : child->pid == w->child;

		if (child->ppid == t->pid && same)
			add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_CHILD,
					.from = thread_node(t),
					.to = { NH_NODE_PROCESS, child } });
	}
}

static void add_descriptors(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	bool set = w->kind == NH_WAIT_POLL || w->kind == NH_WAIT_SELECT || w->kind == NH_WAIT_EPOLL;

	nh_for(slot, &t->waits) {
		const struct nh_fd *fd = nh_index_fd(&g->ix, t, slot->fd);
		const struct nh_socket *s =
			fd && fd->inode > 0 ? nh_index_socket(&g->ix, fd->inode) : NULL;

		if (s)
			add(a, g,
				(struct nh_edge){ .kind = set ? NH_EDGE_POLLS : NH_EDGE_READS,
					.from = thread_node(t),
					.to = socket_node(s),
					.wait = slot,
					.fd = fd });
	}
}

static void add_socket(struct nh_arena *a, struct nh_graph *g, const struct nh_socket *s)
{
	const struct nh_socket *peer = nh_index_peer(&g->ix, s);
	size_t n = 0;
	const struct nh_fd *const *holders =
		s->inode > 0 ? nh_index_holders(&g->ix, s->inode, &n) : NULL;

	if (peer)
		add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_PEER,
				.from = socket_node(s),
				.to = socket_node(peer) });
	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = nh_index_process(&g->ix, holders[i]->pid);

		if (p && holders[i]->kind != NH_FD_CLOSED)
			add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_HELD_BY,
					.from = socket_node(s),
					.to = { NH_NODE_PROCESS, p },
					.fd = holders[i] });
	}
}

static bool listens_there(const struct nh_graph *g, int64_t pid, const struct nh_socket *s)
{
	nh_for(fd, &g->ix.fds) {
		const struct nh_socket *l = (*fd)->pid == pid && (*fd)->inode > 0
						    ? nh_index_socket(&g->ix, (*fd)->inode)
						    : NULL;

		if (l && l->state == NH_TCP_LISTEN && nh_streq(l->local, s->local))
			return true;
	}
	return false;
}

/*
 * A thread inside ncclSocketAccept (or, in a stripped library, one that runs or receives) waits for
 * what some accepted connection of its process sends. It spins with non-blocking calls, so which
 * one cannot be read: every connection that came in through a listener of the process is a
 * candidate.
 */
static void add_serves(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	if (!nh_on_stack(g, t, NH_TD_ACCEPT) &&
		!(nh_on_stack(g, t, NH_TD_UNNAMED) && (t->running || w->kind == NH_WAIT_READ)))
		return;
	nh_for(fd, &g->ix.fds) {
		const struct nh_socket *s = (*fd)->pid == t->pid && (*fd)->inode > 0
						    ? nh_index_socket(&g->ix, (*fd)->inode)
						    : NULL;

		if (s && s->state == NH_TCP_ESTABLISHED && listens_there(g, t->pid, s))
			add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_SERVES,
					.from = thread_node(t),
					.to = socket_node(s),
					.fd = *fd,
					.inferred = true });
	}
}

static int by_from(const void *a, const void *b)
{
	const struct nh_edge *x = a, *y = b;
	uintptr_t p = (uintptr_t)x->from.row, q = (uintptr_t)y->from.row;
	int r = LESS(p, q);

	return r ? r : (int)x->kind - (int)y->kind;
}

/* The same with ties broken by the rows' order in the case, so that a report does not change from
 * run to run. */
static int by_from_and_to(const void *a, const void *b)
{
	const struct nh_edge *x = a, *y = b;
	int r = by_from(a, b);

	r = r ? r : LESS((uintptr_t)x->to.row, (uintptr_t)y->to.row);
	r = r ? r : LESS((uintptr_t)x->wait, (uintptr_t)y->wait);
	return r ? r : LESS((uintptr_t)x->fd, (uintptr_t)y->fd);
}

/* Rules ask every thread's stack for many functions; the names are compared once. */
static void find_stack_kinds(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(s, &g->ix.stacks) {
		uint32_t *kinds = nh_push(a, &g->stack_kinds);

		nh_for(f, &(*s)->frames)
			*kinds |= 1U << nh_teardown_kind(f);
	}
}

bool nh_on_stack(const struct nh_graph *g, const struct nh_thread *t, enum nh_td_kind kind)
{
	size_t at;

	return t->stack != NH_UNKNOWN && nh_index_stack_at(&g->ix, t->stack, &at) &&
	       g->stack_kinds.v[at] >> kind & 1;
}

void nh_graph_build(
	struct nh_arena *a, const struct nh_case *c, int64_t sample, struct nh_graph *ret)
{
	*ret = (struct nh_graph){ 0 };
	nh_index_build(a, c, sample, &ret->ix);
	find_stack_kinds(a, ret);
	nh_for(t, &ret->ix.threads) {
		struct nh_wait w = nh_graph_wait(ret, *t);

		if (w.kind == NH_WAIT_FUTEX)
			add_join(a, ret, *t, &w);
		add_lock(a, ret, *t);
		if (w.child != NH_UNKNOWN)
			add_child(a, ret, *t, &w);
		add_descriptors(a, ret, *t, &w);
		add_serves(a, ret, *t, &w);
	}
	nh_for(s, &ret->ix.sockets)
		add_socket(a, ret, *s);
	if (ret->edges.n)
		qsort(ret->edges.v, ret->edges.n, sizeof(*ret->edges.v), by_from_and_to);
}

const struct nh_edge *nh_graph_out(
	const struct nh_graph *g, struct nh_node from, enum nh_edge_kind kind, size_t *n)
{
	const struct nh_edge key = { .kind = kind, .from = from };
	size_t lo = 0, hi = g->edges.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_from(&g->edges.v[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < g->edges.n && !by_from(&g->edges.v[lo + *n], &key); ++*n)
		;
	return *n ? &g->edges.v[lo] : NULL;
}
