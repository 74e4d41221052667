#include "graph/edges.h"

#include <stdlib.h>

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

static int by_id(const void *a, const void *b)
{
	const struct nh_fd *x = *(const struct nh_fd *const *)a,
			   *y = *(const struct nh_fd *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

void nh_find_anon(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(fd, &g->ix.fds)
		if ((*fd)->kind == NH_FD_ANON && (*fd)->id != NH_UNKNOWN)
			*nh_push(a, &g->anon) = *fd;
	if (g->anon.n)
		qsort(g->anon.v, g->anon.n, sizeof(*g->anon.v), by_id);
}

/* Those of that number, *n of them, in the order of ix.fds. */
static const struct nh_fd *const *anon_of(const struct nh_graph *g, int64_t id, size_t *n)
{
	size_t lo = 0, hi = g->anon.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->anon.v[mid]->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < g->anon.n && g->anon.v[lo + *n]->id == id; ++*n)
		;
	return *n ? g->anon.v + lo : NULL;
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

	const struct nh_fd *const *same = anon_of(g, fd->id, &n);

	return n ? same[0] : fd;
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
		size_t n;
		const struct nh_fd *const *all;

		if (nh_graph_object(g, *fd) != *fd)
			continue;
		if (is_pipe(*fd))
			all = nh_index_holders(&g->ix, (*fd)->inode, &n);
		else if ((*fd)->id != NH_UNKNOWN)
			all = anon_of(g, (*fd)->id, &n);
		else
			continue;
		held_by(a, g, *fd, all, n);
	}
}

void nh_edges_opens(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	if (w->kind != NH_WAIT_FILE)
		return;

	size_t n;
	const struct nh_fd *const *fd = nh_index_fds(&g->ix, t->pid, t->tid, &n);

	for (; n--; fd++)
		if ((*fd)->kind == NH_FD_OPENING)
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_OPENS,
					.from = nh_thread_node(t),
					.to = nh_object_node(nh_graph_object(g, *fd)),
					.fd = *fd });
}
