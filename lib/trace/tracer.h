/*
 * The tracer: a process of its own that stops one thread (or, for one consistent instant, many),
 * copies registers and stack, and lets go.  Between stop and release it makes ptrace, waitpid,
 * clock and process_vm_readv calls only.  It SEIZEs and never ATTACHes and dies with the thread
 * that started it: whoever is killed, at any instant, the target runs on; a signal that arrives in
 * between is passed on.
 */
#ifndef NH_TRACE_TRACER_H
#define NH_TRACE_TRACER_H

#include "trace/capture.h"

struct nh_tracer;

/* Prepares (no process yet) for `slots` threads at a time with up to `window` bytes a part.
 * Freed by nh_tracer_free.  0 or -ENOMEM. */
int nh_tracer_new(size_t slots, size_t window, struct nh_tracer **ret);
/* Ends the process; NULL is fine. */
void nh_tracer_free(struct nh_tracer *t);
/* The process while there is one, else 0. */
int64_t nh_tracer_pid(const struct nh_tracer *t);

struct nh_trace_job {
	int64_t tid;
	struct nh_window window; /* bytes is capped by the tracer's */
	int err;		 /* 0, or a negative errno: -EPERM (another tracer, no right),
				  * -ESRCH (ended), -ETIMEDOUT (did not stop), -EFAULT */
	struct nh_stack_copy
		*copy; /* in the tracer's memory, valid until its next job; NULL: err */
};

/*
 * Stops all n threads (n <= slots) of process pid, copies them, lets them go; each is given up
 * after deadline_ms.  The process is started when needed and after each one that had to die to let
 * a thread go that would not stop.  0 (look at each job's err) or a negative errno for all.
 */
int nh_tracer_copy(
	struct nh_tracer *t, int64_t pid, struct nh_trace_job *jobs, size_t n, int deadline_ms);

#endif
