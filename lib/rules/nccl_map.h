/* The control plane of NCCL on one host: every communicator's service thread, its listener, its
 * live peers and who holds their other ends; drawn together over all ranks. */
#ifndef NH_RULES_NCCL_MAP_H
#define NH_RULES_NCCL_MAP_H

#include "graph/graph.h"

struct nh_map_peer {
	int64_t slot, fd;
	int state;	     /* enum nh_tcp_state of the service thread's end */
	const char *address; /* of the other end */
	const char *held_by; /* "itself", "rank 1 (pid 4711)", "pid 4712 (helper), not a rank" … */
};

/* One communicator, as far as its service thread tells. */
struct nh_map_comm {
	const struct nh_process *process;
	int64_t rank;
	const struct nh_thread *service;
	bool busy; /* not in its poll, so that its peers cannot be read */
	const char *listener;
	int64_t joined_by; /* TID of the thread that waits for it to end, or NH_UNKNOWN */
	NH_VEC(struct nh_map_peer) peers;
	const char *progress; /* what the progress thread does, NULL = none seen */
};

struct nh_map {
	NH_VEC(struct nh_map_comm) comms; /* by pid, service TID */
};

void nh_map_build(struct nh_arena *a, const struct nh_graph *g, struct nh_map *ret);

#endif
