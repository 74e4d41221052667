/* The stacks of a process's threads, each by the gentlest way that leads to its root. */
#ifndef NH_STACK_TAKE_H
#define NH_STACK_TAKE_H

#include "stack/unwind.h"

struct nh_take_options {
	bool no_stop;	  /* never ptrace */
	bool consistent;  /* stop all threads at one instant, copy, let go */
	int64_t until_ms; /* on nh_now_ms's clock: threads not reached by then get -ETIME */
	/* Lists to be copied with each thread's stack, into its walk; NULL = none. */
	const struct nh_chain (*chains)[NH_CHAINS];
};

struct nh_taken {
	int64_t tid;
	int err; /* 0, or why there is no frame at all: -ESRCH, -EPERM, -ETIMEDOUT, -EAGAIN (it
		  * runs and must not be stopped), -EFAULT, -ETIME */
	int trace_err; /* of the tracer, where it was tried: why the walk could not be bettered */
	bool stopped;  /* it was stopped for a moment, to be listed in the report */
	struct nh_walk walk;
};

/*
 * Takes the stacks of n threads of the space's process.  First every thread without a stop; then,
 * unless no_stop, those that ran or whose walk did not arrive, one at a time through a tracer
 * process.  Walks lie in a.  0, or a negative errno for all.
 */
int nh_take_stacks(struct nh_space *s, const int64_t *tids, size_t n,
	const struct nh_take_options *o, struct nh_arena *a, struct nh_taken *ret);

#endif
