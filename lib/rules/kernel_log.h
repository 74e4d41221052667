/* What the kernel's log and control groups add to the verdict; private to analyse.c, merge.c. */
#ifndef NH_RULES_KERNEL_LOG_H
#define NH_RULES_KERNEL_LOG_H

#include "graph/graph.h"

/*
 * out-of-memory: a process of the job was killed for want of memory and others wait.  After all
 * other findings: what they tell of the same process becomes a part of this one.
 */
void nh_memory_analyse(struct nh_case *c, const struct nh_graph *g);

/* The same for findings of several cases: a host's own and those of logs. */
void nh_memory_fold(struct nh_arena *a, struct nh_verdict *v);

/* driver-stall for an Xid of a process of the job that does not go on; and to other findings what
 * the log says of the same processes, servers and devices. */
void nh_kernel_log_analyse(struct nh_case *c, const struct nh_graph *g);

/* When an event was, in words: "12.3 s before this was taken". */
const char *nh_kernel_when(struct nh_arena *a, const struct nh_case *c, int64_t at_us);
/* Whether a process had started before that moment. */
bool nh_kernel_is_older(const struct nh_case *c, const struct nh_process *p, int64_t at_us);
/* The process of the job that an event names: its number, and older than the event.  NULL = none.
 */
const struct nh_process *nh_kernel_process(
	const struct nh_graph *g, const struct nh_kernel_event *e);

#endif
