#include "rules/nccl_map.h"

#include "rules/nccl.h"
#include "graph/words.h"

static const char *rank_words(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_process *p)
{
	int64_t rank = nh_rank_of(p);

	if (!nh_nccl_is_rank(g, p->pid))
		return nh_arena_printf(a, "%s, no rank", nh_name_process(a, p));
	if (rank == NH_UNKNOWN)
		return nh_arena_printf(a, "%s, another rank", nh_name_process(a, p));
	return nh_arena_printf(a, "rank %jd, %s", (intmax_t)rank, nh_name_process(a, p));
}

static const char *holders(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_socket *far, int64_t self)
{
	const char *words = NULL;
	size_t n;
	const struct nh_edge *h =
		nh_graph_out(g, (struct nh_node){ NH_NODE_SOCKET, far }, NH_EDGE_HELD_BY, &n);

	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = h[i].to.row;
		const char *who = p->pid == self ? "itself" : rank_words(a, g, p);

		words = words ? nh_arena_printf(a, "%s; %s", words, who) : who;
	}
	return words ? words : "nobody seen";
}

static void add_peer(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *poll,
	struct nh_map_comm *c)
{
	const struct nh_socket *s = poll->to.row, *far = nh_index_peer(&g->ix, s);

	*nh_push(a, &c->peers) = (struct nh_map_peer){ .slot = poll->wait->slot,
		.fd = poll->wait->fd,
		.state = s->state,
		.address = s->remote,
		.held_by =
			far ? holders(a, g, far, c->process->pid) : "not on this host, or closed" };
}

/* The progress thread is told by its name on the stack only: its wait is a plain condition.  Of
 * several communicators' threads it cannot be told whose is whose. */
static const char *progress(struct nh_arena *a, const struct nh_graph *g, int64_t pid)
{
	size_t n;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, pid, &n), *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (nh_on_stack(g, t[i], NH_TD_PROGRESS)) {
			if (found)
				return NULL;
			found = t[i];
		}
	if (!found)
		return NULL;

	struct nh_wait w = nh_graph_wait(g, found);

	return nh_arena_printf(a, "thread %jd, %s", (intmax_t)found->tid,
		found->running ? "running" : nh_wait_words(a, &w));
}

static int64_t joiner_of(const struct nh_graph *g, const struct nh_thread *svc)
{
	nh_for(e, &g->edges)
		if (e->kind == NH_EDGE_JOINS && e->to.row == svc)
			return ((const struct nh_thread *)e->from.row)->tid;
	return NH_UNKNOWN;
}

static void add_comm(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t, struct nh_map *ret)
{
	struct nh_map_comm *c = nh_push(a, &ret->comms);
	struct nh_wait w = nh_graph_wait(g, t);
	int64_t last = w.nfds == NH_UNKNOWN ? -1 : w.nfds - 1; /* the listener's slot */
	size_t n;
	const struct nh_edge *e =
		nh_graph_out(g, (struct nh_node){ NH_NODE_THREAD, t }, NH_EDGE_POLLS, &n);

	c->process = nh_index_process(&g->ix, t->pid);
	c->rank = c->process ? nh_rank_of(c->process) : NH_UNKNOWN;
	c->service = t;
	c->busy = !nh_nccl_is_service(g, t);
	c->joined_by = joiner_of(g, t);
	c->progress = progress(a, g, t->pid);
	for (size_t i = 0; i < n; i++) {
		if (e[i].to.kind != NH_NODE_SOCKET)
			continue;
		if (e[i].wait->slot == last)
			c->listener = ((const struct nh_socket *)e[i].to.row)->local;
		else if (c->process)
			add_peer(a, g, &e[i], c);
	}
}

void nh_map_build(struct nh_arena *a, const struct nh_graph *g, struct nh_map *ret)
{
	*ret = (struct nh_map){ 0 };
	nh_for(t, &g->ix.threads)
		if (nh_nccl_is_service(g, *t) || nh_on_stack(g, *t, NH_TD_SERVICE))
			add_comm(a, g, *t, ret);
}
