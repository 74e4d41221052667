#include "graph/graph.h"

#include <stdlib.h>
#include "graph/cuda.h"
#include "graph/edges.h"

#define LESS(a, b) (((a) > (b)) - ((a) < (b)))

struct nh_wait nh_graph_wait(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_wait_decode(g->ix.c->machine, t);
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
	g->cuda_calls = nh_new(a, struct nh_cuda_call, g->ix.stacks.n + 1);
	nh_for(s, &g->ix.stacks) {
		uint32_t *kinds = nh_push(a, &g->stack_kinds);

		nh_for(f, &(*s)->frames)
			*kinds |= 1U << nh_teardown_kind(f);
		g->cuda_calls[g->stack_roles.n] = nh_cuda_call_on(*s);
		*nh_push(a, &g->stack_roles) = nh_stack_role(*s);
	}
}

bool nh_on_stack(const struct nh_graph *g, const struct nh_thread *t, enum nh_td_kind kind)
{
	size_t at;

	return t->stack != NH_UNKNOWN && nh_index_stack_at(&g->ix, t->stack, &at) &&
	       g->stack_kinds.v[at] >> kind & 1;
}

static uint64_t key_of(const struct nh_thread *t)
{
	return nh_hash((const int64_t[]){ t->pid, t->tid }, 2 * sizeof(int64_t), 1);
}

static void find_awaited(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(e, &g->edges)
		if (e->kind == NH_EDGE_JOINS || e->kind == NH_EDGE_LOCKS ||
			(e->kind == NH_EDGE_GIL && e->to.row != e->from.row))
			nh_set_add(a, &g->awaited, key_of(e->to.row));
}

bool nh_is_awaited(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_set_has(&g->awaited, key_of(t));
}

static int by_thread(const void *a, const void *b)
{
	const struct nh_thread *x = *(const struct nh_thread *const *)a,
			       *y = *(const struct nh_thread *const *)b;
	int r = LESS(x->pid, y->pid);

	r = r ? r : LESS(x->tid, y->tid);
	return r ? r : LESS((uintptr_t)x, (uintptr_t)y);
}

static void find_others(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(t, &g->ix.c->threads)
		if (t->sample != g->ix.sample)
			*nh_push(a, &g->others) = t;
	if (g->others.n)
		qsort(g->others.v, g->others.n, sizeof(*g->others.v), by_thread);
}

const struct nh_thread *nh_graph_other(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t lo = 0, hi = g->others.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct nh_thread *o = g->others.v[mid];

		if (o->pid < t->pid || (o->pid == t->pid && o->tid < t->tid))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == g->others.n || g->others.v[lo]->pid != t->pid || g->others.v[lo]->tid != t->tid)
		return NULL;
	return g->others.v[lo];
}

/* Every source of a thread's edges. */
static nh_thread_edges_fn *const of_thread[] = {
	nh_edges_join,
	nh_edges_lock,
	nh_edges_gil,
	nh_edges_file_lock,
	nh_edges_child,
	nh_edges_descriptors,
	nh_edges_serves,
	nh_edges_opens,
};

void nh_graph_build(
	struct nh_arena *a, const struct nh_case *c, int64_t sample, struct nh_graph *ret)
{
	*ret = (struct nh_graph){ 0 };
	nh_index_build(a, c, sample, &ret->ix);
	find_stack_kinds(a, ret);
	find_others(a, ret);
	nh_find_anon(a, ret);
	nh_for(t, &ret->ix.threads) {
		struct nh_wait w = nh_graph_wait(ret, *t);

		for (size_t i = 0; i < sizeof(of_thread) / sizeof(*of_thread); i++)
			of_thread[i](a, ret, *t, &w);
	}
	nh_edges_addresses(a, ret);
	nh_for(s, &ret->ix.sockets)
		nh_edges_socket(a, ret, *s);
	nh_edges_objects(a, ret);
	find_awaited(a, ret);
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
