/*
 * Where the graph's edges come from.  One function a source: it adds what the rows tell about one
 * blocked thread (or one socket), and nothing where they tell nothing.
 */
#ifndef NH_GRAPH_EDGES_H
#define NH_GRAPH_EDGES_H

#include "graph/graph.h"

typedef void nh_thread_edges_fn(
	struct nh_arena *a, struct nh_graph *g, const struct nh_thread *t, const struct nh_wait *w);

/* edges_thread.c: another thread of the process, a child, or who has a file locked. */
nh_thread_edges_fn nh_edges_join, nh_edges_lock, nh_edges_gil, nh_edges_file_lock, nh_edges_child;
/* edges_descriptor.c: what is behind the descriptors it waits on. */
nh_thread_edges_fn nh_edges_descriptors, nh_edges_serves;
/* edges_object.c: the FIFO it is blocked opening. */
nh_thread_edges_fn nh_edges_opens;
/* Who holds pipes and other objects. */
void nh_edges_objects(struct nh_arena *a, struct nh_graph *g);
/* Which addresses this host has, as far as its sockets tell: before the sockets' edges. */
void nh_edges_addresses(struct nh_arena *a, struct nh_graph *g);
/* g->anon; before any edge. */
void nh_find_anon(struct nh_arena *a, struct nh_graph *g);
/* A socket's other end, and who holds it. */
void nh_edges_socket(struct nh_arena *a, struct nh_graph *g, const struct nh_socket *s);

static inline struct nh_node nh_thread_node(const struct nh_thread *t)
{
	return (struct nh_node){ NH_NODE_THREAD, t };
}

static inline struct nh_node nh_process_node(const struct nh_process *p)
{
	return (struct nh_node){ NH_NODE_PROCESS, p };
}

static inline struct nh_node nh_socket_node(const struct nh_socket *s)
{
	return (struct nh_node){ NH_NODE_SOCKET, s };
}

static inline struct nh_node nh_object_node(const struct nh_fd *first)
{
	return (struct nh_node){ NH_NODE_OBJECT, first };
}

static inline void nh_edge_add(struct nh_arena *a, struct nh_graph *g, struct nh_edge e)
{
	*nh_push(a, &g->edges) = e;
}

#endif
