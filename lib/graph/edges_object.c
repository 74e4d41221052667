#include "graph/edges.h"

static bool is_pipe(const struct nh_fd *fd)
{
	return (fd->kind == NH_FD_PIPE || fd->kind == NH_FD_OPENING) && fd->inode > 0;
}

/* A pipe is told by its inode, a named FIFO by its device too, an eventfd by its number. */
static bool is_same(const struct nh_fd *a, const struct nh_fd *b)
{
	if (is_pipe(a))
		return is_pipe(b) && a->inode == b->inode && a->dev == b->dev;
	return a == b || (a->kind == b->kind && a->id == b->id && a->id != NH_UNKNOWN);
}

const struct nh_fd *nh_graph_object(const struct nh_graph *g, const struct nh_fd *fd)
{
	size_t n;

	if (is_pipe(fd)) {
		const struct nh_fd *const *all = nh_index_holders(&g->ix, fd->inode, &n);

		for (size_t i = 0; i < n; i++)
			if (is_same(fd, all[i]))
				return all[i];
	}
	if (fd->kind != NH_FD_ANON)
		return NULL;
	if (fd->id == NH_UNKNOWN)
		return fd;
	nh_for(other, &g->ix.fds)
		if (is_same(fd, *other))
			return *other;
	return fd;
}

static void held_by(struct nh_arena *a, struct nh_graph *g, const struct nh_fd *first,
	const struct nh_fd *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = nh_index_process(&g->ix, all[i]->pid);

		if (p && all[i]->kind != NH_FD_OPENING && is_same(first, all[i]))
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_HELD_BY,
					.from = nh_object_node(first),
					.to = nh_process_node(p),
					.fd = all[i] });
	}
}

void nh_edges_objects(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(fd, &g->ix.fds) {
		size_t n = g->ix.fds.n;
		const struct nh_fd *const *all = g->ix.fds.v;

		if (nh_graph_object(g, *fd) != *fd)
			continue;
		if (is_pipe(*fd))
			all = nh_index_holders(&g->ix, (*fd)->inode, &n);
		else if ((*fd)->id == NH_UNKNOWN)
			continue;
		held_by(a, g, *fd, all, n);
	}
}

void nh_edges_opens(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	if (w->kind != NH_WAIT_FILE)
		return;
	nh_for(fd, &g->ix.fds)
		if ((*fd)->kind == NH_FD_OPENING && (*fd)->pid == t->pid && (*fd)->tid == t->tid)
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_OPENS,
					.from = nh_thread_node(t),
					.to = nh_object_node(nh_graph_object(g, *fd)),
					.fd = *fd });
}
