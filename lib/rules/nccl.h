/* NCCL's parts as the graph shows them, shared by the rules about its teardown and start. */
#ifndef NH_RULES_NCCL_H
#define NH_RULES_NCCL_H

#include "rules/rule.h"
#include "graph/silhouette.h"

/* A thread in the proxy service loop: its call's shape, and a listener in the last slot. */
bool nh_nccl_is_service(const struct nh_graph *g, const struct nh_thread *t);
/* A rank has a service thread of its own; fork copies none into a child. */
bool nh_nccl_is_rank(const struct nh_graph *g, int64_t pid);
/* Whether the process maps an NCCL or torch library (by the case's modules). */
bool nh_nccl_is_mapped(const struct nh_graph *g, int64_t pid);
/* Whether some thread of the process joins a service thread: it is in teardown. */
bool nh_nccl_in_teardown(const struct nh_graph *g, int64_t pid);

/* Whether the thread's stack is in a teardown's entry point or inside one. */
bool nh_nccl_tears_down(const struct nh_graph *g, const struct nh_thread *t);
/* Whether the thread is on a CPU, or gives it away only to come back. */
bool nh_never_rests(const struct nh_graph *g, const struct nh_thread *t);
/* Whether an earlier sample shows the thread in the same wait, not switched out in between. */
bool nh_has_not_moved(const struct nh_graph *g, const struct nh_thread *t);

/* Conditions of steps that several rules share. */
bool nh_nccl_joins_service(const struct nh_graph *g, const struct nh_path *p);
bool nh_nccl_polls_live_peer(const struct nh_graph *g, const struct nh_path *p);
bool nh_nccl_open_peer(const struct nh_graph *g, const struct nh_path *p);

/* The steps of rules that follow a teardown to the other end of a live peer. */
#define NH_STEPS_TO_PEER                                                                           \
	{ NH_EDGE_JOINS, true, nh_nccl_joins_service,                                              \
		"no thread waits for an NCCL proxy service thread to end" },                       \
		{ NH_EDGE_POLLS, false, nh_nccl_polls_live_peer,                                   \
			"the joined service thread polls no live peer" },                          \
	{                                                                                          \
		NH_EDGE_PEER, false, nh_nccl_open_peer,                                            \
			"the live peer's other end is not an open connection of this host"         \
	}

/* The thread that the path's last join waits for, and the one that makes this join. */
const struct nh_thread *nh_nccl_joined(const struct nh_path *p);
const struct nh_thread *nh_nccl_joiner(const struct nh_path *p);

/* Stacks of the joiner and the joined thread as evidence; where they contradict the graph, that. */
void nh_nccl_tell_stacks(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f);
/* The first remedy of every finding. */
void nh_tell_save(struct nh_arena *a, struct nh_finding *f, int64_t pid);
/* How far the search for holders came in the match's sample. */
void nh_tell_search(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f);

#endif
