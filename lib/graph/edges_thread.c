#include "graph/edges.h"
#include "graph/interpreter.h"
#include "graph/locks.h"
#include "know/file_lock.h"
#include "know/lock.h"

/*
 * pthread_join waits on the word where the kernel will clear the joined thread's TID, so waiting
 * value and word both are that TID, as its own pid namespace numbers it.
 */
void nh_edges_join(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_thread *target;

	if (w->kind != NH_WAIT_FUTEX || !nh_futex_is_join_form(w->futex_op) ||
		w->futex_val != t->futex_word || !w->futex_val)
		return;
	target = nh_index_thread_ns(&g->ix, t->pid, w->futex_val);
	if (target && target != t)
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_JOINS,
				.from = nh_thread_node(t),
				.to = nh_thread_node(target) });
}

/* The owner's word in the lock is a TID; one that is no thread of this process, or of one that
 * shares the lock's memory, makes no edge. */
void nh_edges_lock(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	struct nh_lock lock;
	const struct nh_thread *owner;

	if (!nh_lock_decode(t, &lock))
		return;
	owner = nh_index_thread_ns(&g->ix, t->pid, lock.owner);
	if (!owner && lock.shared)
		owner = nh_shared_owner(&g->ix, t, lock.owner);
	if (owner)
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_LOCKS,
				.from = nh_thread_node(t),
				.to = nh_thread_node(owner) });
}

/* Who wants a GIL is told by the futex it waits for, who holds it by the runtime; one that waits
 * for what it holds itself is an edge too. */
void nh_edges_gil(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_interpreter *in = nh_gil_wanted_by(&g->ix, t);
	const struct nh_thread *holder = in ? nh_index_thread(&g->ix, t->pid, in->holder) : NULL;

	if (holder)
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_GIL,
				.from = nh_thread_node(t),
				.to = nh_thread_node(holder) });
}

/* What a process that is waited for does, its threads do. */
static void runs(struct nh_arena *a, struct nh_graph *g, const struct nh_process *p)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, p->pid, &n);

	nh_for(e, &g->edges)
		if (e->kind == NH_EDGE_RUNS && e->from.row == p)
			return;
	for (size_t i = 0; i < n; i++)
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_RUNS,
				.from = nh_process_node(p),
				.to = nh_thread_node(all[i]) });
}

/* The thread's own process included: it may have locked the file by another descriptor. */
void nh_edges_file_lock(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_file_lock *wanted =
		nh_file_lock_wanted(w, t) ? nh_wanted_lock(&g->ix, t) : NULL;

	nh_for(held, &g->ix.c->file_locks) {
		const struct nh_process *p = wanted && held->sample == g->ix.sample
						     ? nh_index_process(&g->ix, held->pid)
						     : NULL;

		if (p && nh_file_lock_blocks(held, wanted))
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_FILES,
					.from = nh_thread_node(t),
					.to = nh_process_node(p),
					.lock = held });
	}
}

void nh_edges_child(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	if (w->child == NH_UNKNOWN)
		return;
	nh_for(p, &g->ix.processes) {
		const struct nh_process *child = *p;
		bool same = child->nspid.n ? child->nspid.v[child->nspid.n - 1] == w->child
					   : child->pid == w->child;

		if (child->ppid == t->pid && same) {
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_CHILD,
					.from = nh_thread_node(t),
					.to = nh_process_node(child) });
			runs(a, g, child);
		}
	}
}
