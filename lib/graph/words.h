/* Nodes and edges in words: the same phrase wherever one of them is mentioned. */
#ifndef NH_GRAPH_WORDS_H
#define NH_GRAPH_WORDS_H

#include "graph/graph.h"

/* "pid 4711 (python)", with its number inside its own pid namespace where that differs. */
const char *nh_name_process(struct nh_arena *a, const struct nh_process *p);
/* "thread 4712 (rank0) of pid 4711" */
const char *nh_name_thread(struct nh_arena *a, const struct nh_thread *t);
/* "TCP socket 10.0.0.1:4711 -> 10.0.0.1:80, inode 4242" */
const char *nh_name_socket(struct nh_arena *a, const struct nh_socket *s);
/* "pipe 4242", "FIFO /tmp/x", "eventfd 7" … (words_object.c) */
const char *nh_name_object(struct nh_arena *a, const struct nh_fd *fd);
/* "pipe", "eventfd" …: what a descriptor is, in one word; never NULL. */
const char *nh_fd_word(const struct nh_fd *fd);
/* The same with its article: "a pipe", "an eventfd", "a descriptor that is closed". */
const char *nh_fd_words(const struct nh_fd *fd);
/* What was read that makes an edge to an object, or from one to its holder. */
const char *nh_object_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e);
/* "2 sockets, 1 eventfd": what is in a thread's poll set, as far as it was read. */
const char *nh_set_words(struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t);
const char *nh_name_node(struct nh_arena *a, struct nh_node n);
/* "joins", "polls" … */
const char *nh_edge_name(enum nh_edge_kind kind);
/* What was read that makes the edge. */
const char *nh_edge_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e);
/* "poll of 65 descriptors, 500 ms"; never NULL. */
const char *nh_wait_words(struct nh_arena *a, const struct nh_wait *w);
/* What a thread does, with the kind of object where the descriptor tells it: "poll of 65 slots,
 * 500 ms timeout", "read on a pipe", "running", "stopped". */
const char *nh_state_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t);
/* "3.2 s" for a difference in clock ticks of the case. */
const char *nh_ticks_words(struct nh_arena *a, const struct nh_case *c, int64_t ticks);

#endif
