/*
 * Who could end a wait: starting from a process, everybody whose doing could wake one of its
 * threads, as far as the case tells. If none of them is awake, nobody that was seen will ever do
 * it. Awake are threads that run, sleep, wait with a timeout or for the world outside; bystanders
 * are not.
 */
#ifndef NH_RULES_REACH_H
#define NH_RULES_REACH_H

#include "graph/graph.h"

enum { NH_REACH_MAX = 64 }; /* processes, and awake threads, that are told apart */

struct nh_reach {
	const struct nh_process *processes[NH_REACH_MAX]; /* the first is where it began */
	size_t n;
	const struct nh_thread *awake[NH_REACH_MAX]; /* the first nawake of them */
	size_t nawake;
	bool unseen; /* somebody who could is not in the case, or there are too many */
};

void nh_reach_from(const struct nh_graph *g, const struct nh_process *p, struct nh_reach *ret);
/* Nobody is awake, and nobody is missing. */
bool nh_reach_is_stuck(const struct nh_reach *r);
/* A thread that a library keeps, of NCCL, a pool, a watchdog, a progress bar, while it has nothing
 * to do: it wakes nobody before somebody gives it work. */
bool nh_is_bystander(const struct nh_graph *g, const struct nh_thread *t);
/* Whether a thread blocks in a futex wait without a timeout. */
bool nh_waits_for_wake(const struct nh_graph *g, const struct nh_thread *t);

#endif
