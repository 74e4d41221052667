#include "rules/role.h"

#include "graph/edges.h"
#include "rules/nccl_role.h"
#include "rules/rule.h"
#include "base/str.h"

static bool listens(const struct nh_graph *g, const struct nh_thread *t)
{
	nh_for(w, &t->waits) {
		const struct nh_fd *fd = nh_index_fd(&g->ix, t, w->fd);
		const struct nh_socket *s =
			fd && fd->inode > 0 ? nh_index_socket(&g->ix, fd->inode) : NULL;

		if (s && s->state == NH_TCP_LISTEN)
			return true;
	}
	return false;
}

static struct nh_thread_clues clues_of(
	const struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	struct nh_thread_clues c = { .stack = nh_index_stack(&g->ix, t->stack),
		.comm = t->comm,
		.cmdline = p ? p->cmdline : NULL,
		.wait = w,
		.main = t->tid == t->pid,
		.ranked = p && nh_rank_of(p) != NH_UNKNOWN,
		.listens = listens(g, t) };
	size_t at;

	if (c.stack && nh_index_stack_at(&g->ix, t->stack, &at))
		c.by_stack = g->stack_roles.v[at];
	/* A thread that names itself not has the name of the one that made it. */
	if (!c.main && p && nh_streq(t->comm, p->comm))
		c.comm = NULL;
	return c;
}

static bool has_edge(const struct nh_graph *g, const struct nh_thread *t, enum nh_edge_kind kind)
{
	size_t n;

	nh_graph_out(g, nh_thread_node(t), kind, &n);
	return n > 0;
}

/* What in a wait tells of a role, or of idleness, holds only for a thread that is in that wait. */
static bool is_waiting(const struct nh_graph *g, const struct nh_thread *t)
{
	return !t->running && nh_streq(t->state, "S") && !has_edge(g, t, NH_EDGE_JOINS) &&
	       !has_edge(g, t, NH_EDGE_LOCKS);
}

struct nh_role nh_role_of(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	struct nh_thread_clues c = clues_of(g, t, &w);
	struct nh_role r = { .role = nh_thread_role_of(&c), .nccl = NH_ROLE_NONE };

	/* NCCL's own threads wait for connections too. */
	if (!c.main && (r.role == NH_THREAD_ANY || r.role == NH_THREAD_SERVER))
		r.nccl = nh_nccl_role(g, t);
	/* Nor is its main thread a server while it makes a communicator. */
	if (r.role == NH_THREAD_SERVER &&
		(nh_on_stack(g, t, NH_TD_INIT) || nh_on_stack(g, t, NH_TD_ACCEPT) ||
			nh_on_stack(g, t, NH_TD_UNNAMED)))
		r.role = NH_THREAD_ANY;
	if (r.nccl != NH_ROLE_NONE) {
		r.role = NH_THREAD_ANY;
		r.word = nh_nccl_role_row(r.nccl)->word;
		r.shape = nh_nccl_role_row(r.nccl)->idle;
		r.idle = is_waiting(g, t) && nh_nccl_role_is_idle(r.nccl, &w);
	} else if (r.role != NH_THREAD_ANY) {
		r.word = nh_thread_role_row(r.role)->word;
		r.shape = nh_thread_role_row(r.role)->idle;
		r.idle = is_waiting(g, t) && nh_thread_role_is_idle(r.role, &c);
	}
	return r;
}

bool nh_is_idle_by_design(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_role_of(g, t).idle && !nh_is_awaited(g, t);
}
