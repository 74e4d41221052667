#include "rules/nccl_role.h"

#include "rules/nccl_version.h"

static const struct nh_socket *socket_at(
	const struct nh_graph *g, const struct nh_thread *t, int64_t slot)
{
	nh_for(w, &t->waits) {
		const struct nh_fd *fd = w->slot == slot ? nh_index_fd(&g->ix, t, w->fd) : NULL;

		if (fd && fd->inode > 0)
			return nh_index_socket(&g->ix, fd->inode);
	}
	return NULL;
}

static bool in_nccl(const struct nh_graph *g, const struct nh_thread *t, const struct nh_stack *s)
{
	for (size_t i = 0; s && i < s->frames.n; i++)
		if (nh_nccl_has_frame(g, t->pid, &s->frames.v[i]))
			return true;
	return false;
}

enum nh_nccl_role nh_nccl_role(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	const struct nh_socket *first = socket_at(g, t, 0),
			       *last = w.nfds > 0 ? socket_at(g, t, w.nfds - 1) : NULL;
	const struct nh_fd *fd = w.fd >= 0 ? nh_index_fd(&g->ix, t, w.fd) : NULL;
	struct nh_role_clues c = { .wait = &w,
		.stack = nh_index_stack(&g->ix, t->stack),
		.comm = t->comm,
		.last_listens = last && last->state == NH_TCP_LISTEN && last->family != NH_UNIX,
		.first_unix = first && first->family == NH_UNIX,
		.fd_path = fd ? fd->path : NULL };
	size_t joins;

	nh_graph_out(g, (struct nh_node){ NH_NODE_THREAD, t }, NH_EDGE_JOINS, &joins);
	c.joins = joins > 0;
	c.in_nccl = in_nccl(g, t, c.stack);
	return nh_nccl_role_of(&c);
}
