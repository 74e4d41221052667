#include <string.h>
#include "graph/edges.h"
#include "base/str.h"

void nh_edges_descriptors(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w)
{
	bool set = w->kind == NH_WAIT_POLL || w->kind == NH_WAIT_SELECT || w->kind == NH_WAIT_EPOLL;
	enum nh_edge_kind kind = set			    ? NH_EDGE_POLLS
				 : w->kind == NH_WAIT_WRITE ? NH_EDGE_WRITES
							    : NH_EDGE_READS;

	nh_for(slot, &t->waits) {
		const struct nh_fd *fd = nh_index_fd(&g->ix, t, slot->fd);
		const struct nh_socket *s =
			fd && fd->kind == NH_FD_SOCKET ? nh_index_socket(&g->ix, fd->inode) : NULL;
		const struct nh_fd *object = fd && !s ? nh_graph_object(g, fd) : NULL;

		if (s || object)
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = kind,
					.from = nh_thread_node(t),
					.to = s ? nh_socket_node(s) : nh_object_node(object),
					.wait = slot,
					.fd = fd });
	}
}

static uint64_t address_key(const char *address)
{
	const char *colon = strrchr(address, ':');

	return nh_hash(address, colon ? (size_t)(colon - address) : strlen(address), 1);
}

void nh_edges_addresses(struct nh_arena *a, struct nh_graph *g)
{
	nh_for(s, &g->ix.sockets)
		if ((*s)->family != NH_UNIX && (*s)->local)
			nh_set_add(a, &g->addresses, address_key((*s)->local));
}

/*
 * A connection whose other end is in no table that was read.  If some socket here has its address,
 * it is on this host, in another network namespace or closed already; else it is elsewhere, as far
 * as the sockets seen can tell.
 */
static bool is_remote(const struct nh_graph *g, const struct nh_socket *s)
{
	return s->family != NH_UNIX && s->state == NH_TCP_ESTABLISHED && s->remote &&
	       !nh_starts_with(s->remote, "127.") && !nh_starts_with(s->remote, "[::1]:") &&
	       !nh_set_has(&g->addresses, address_key(s->remote));
}

void nh_edges_socket(struct nh_arena *a, struct nh_graph *g, const struct nh_socket *s)
{
	const struct nh_socket *peer = nh_index_peer(&g->ix, s);
	size_t n = 0;
	const struct nh_fd *const *holders =
		s->inode > 0 ? nh_index_holders(&g->ix, s->inode, &n) : NULL;

	if (peer)
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_PEER,
				.from = nh_socket_node(s),
				.to = nh_socket_node(peer) });
	else if (is_remote(g, s))
		nh_edge_add(a, g,
			(struct nh_edge){ .kind = NH_EDGE_REMOTE,
				.from = nh_socket_node(s),
				.to = { NH_NODE_REMOTE, s->remote },
				.inferred = true });
	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = nh_index_process(&g->ix, holders[i]->pid);

		if (p && holders[i]->kind == NH_FD_SOCKET)
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_HELD_BY,
					.from = nh_socket_node(s),
					.to = nh_process_node(p),
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
void nh_edges_serves(
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
			nh_edge_add(a, g,
				(struct nh_edge){ .kind = NH_EDGE_SERVES,
					.from = nh_thread_node(t),
					.to = nh_socket_node(s),
					.fd = *fd,
					.inferred = true });
	}
}
