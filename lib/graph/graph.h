/* The wait-for graph of one sample: who waits for what, every edge from rows that were read. */
#ifndef NH_GRAPH_GRAPH_H
#define NH_GRAPH_GRAPH_H

#include "base/set.h"
#include "know/teardown.h"
#include "know/thread_roles.h"
#include "know/wait.h"
#include "model/index.h"

enum nh_node_kind {
	NH_NODE_THREAD,
	NH_NODE_PROCESS,
	NH_NODE_SOCKET,
	NH_NODE_OBJECT, /* pipe, FIFO, eventfd …: what is behind descriptors and is no socket */
	NH_NODE_REMOTE, /* the end of a connection on another host */
};

/* row: struct nh_thread, nh_process or nh_socket of the case; of an object the first struct nh_fd
 * seen of it; of a remote end the address, the nh_socket's remote.  Equal rows are equal nodes. */
struct nh_node {
	enum nh_node_kind kind;
	const void *row;
};

enum nh_edge_kind {
	NH_EDGE_JOINS,	/* thread → thread of the same process whose end it waits for */
	NH_EDGE_LOCKS,	/* thread → thread that has the lock it waits for, by shared memory too */
	NH_EDGE_GIL,	/* thread → thread that holds the GIL of the interpreter; maybe itself */
	NH_EDGE_FILES,	/* thread → process that has the lock on a file it waits for */
	NH_EDGE_CHILD,	/* thread → child process that it waits for by PID */
	NH_EDGE_RUNS,	/* process that somebody waits for by PID → its threads */
	NH_EDGE_POLLS,	/* thread → socket or object in its poll, select or epoll set */
	NH_EDGE_READS,	/* thread → socket or object it blocks in, in one call */
	NH_EDGE_WRITES, /* the same, to write */
	NH_EDGE_OPENS,	/* thread → FIFO it is blocked opening: nobody has opened the other end */
	NH_EDGE_SERVES, /* thread in NCCL's accept → a connection to its listener: inferred */
	NH_EDGE_PEER,	/* socket → the other end of its connection */
	NH_EDGE_REMOTE, /* socket → the other end, elsewhere: inferred */
	NH_EDGE_HELD_BY, /* socket or object → process with a descriptor of it; mode = which end */
	NH_EDGE_RANK, /* rank → rank that has to come to its collective: inferred, in chains only */
	NH_EDGE_KINDS,
};

struct nh_edge {
	enum nh_edge_kind kind;
	struct nh_node from, to;
	const struct nh_pollfd *wait; /* POLLS, READS, WRITES: the slot */
	bool inferred;		      /* concluded, not read */
	/* POLLS, READS, WRITES, OPENS: the waiter's descriptor; HELD_BY: the holder's */
	const struct nh_fd *fd;
	const struct nh_file_lock *lock; /* FILES: the one that is held */
};

struct nh_graph {
	struct nh_index ix;
	NH_VEC(struct nh_edge) edges; /* by from, kind */
	struct nh_set addresses;      /* keys of the IP addresses that sockets seen here have */
	NH_VEC(uint32_t)
	stack_kinds; /* of ix.stacks: bit k = a function of enum nh_td_kind k is on it */
	NH_VEC(struct nh_stack_role) stack_roles; /* of ix.stacks */
	struct nh_cuda_call *cuda_calls;	  /* of ix.stacks */
	NH_VEC(const struct nh_fd *) anon; /* those without an inode that have an id, by id */
	struct nh_set awaited;		   /* threads for which another one waits: nh_is_awaited */
	NH_VEC(const struct nh_thread *) others; /* of the other samples, by pid, tid, row */
};

void nh_graph_build(
	struct nh_arena *a, const struct nh_case *c, int64_t sample, struct nh_graph *ret);
/* The edges of one kind out of a node, *n of them. */
const struct nh_edge *nh_graph_out(
	const struct nh_graph *g, struct nh_node from, enum nh_edge_kind kind, size_t *n);
/* The object behind a descriptor: a node's row, or NULL where it is no object (edges_object.c). */
const struct nh_fd *nh_graph_object(const struct nh_graph *g, const struct nh_fd *fd);
/* Whether a function of that meaning is on the thread's stack. */
bool nh_on_stack(const struct nh_graph *g, const struct nh_thread *t, enum nh_td_kind kind);
/* Whether a thread of its process waits for its end, or for a lock or the GIL that it has. */
bool nh_is_awaited(const struct nh_graph *g, const struct nh_thread *t);
/* The same thread in another sample, the first where there are several; NULL. */
const struct nh_thread *nh_graph_other(const struct nh_graph *g, const struct nh_thread *t);
/* What a thread waits in. */
struct nh_wait nh_graph_wait(const struct nh_graph *g, const struct nh_thread *t);

#endif
