/* Live processes → case.  Looks without touching; only threads whose stack cannot be had otherwise
 * are stopped, one at a time, for the microseconds it takes to copy it. */
#ifndef NH_COLLECT_COLLECT_H
#define NH_COLLECT_COLLECT_H

#include "base/err.h"
#include "model/case.h"

struct nh_collect_opts {
	const int64_t *pids; /* as seen from our own pid namespace; none = every training process */
	size_t npids;
	int64_t timeout_ms;  /* for the whole collection */
	int64_t interval_ms; /* between the two samples; 0 = one sample */
	const char *root;    /* a recorded /proc tree; NULL = /proc */
	bool no_stop;	     /* never stop a thread, whatever that hides */
	bool ras;	     /* ask NCCL's RAS service, which queries the whole job */
	bool dump;	     /* ask the flight recorders, and wait for them beyond timeout_ms */
	void (*longer)(int64_t ms); /* told when that takes so much longer; may be NULL */
	bool debuginfod;	    /* ask debuginfod servers for missing debug files */
	bool consistent;   /* stop all threads of a process at one instant for their stacks */
	const char *rerun; /* the command line a gap's grant repeats, e.g. "ncclhang 4711" */
};

/*
 * Collects into a case of that arena.  A worker process reads; whatever it blocks in is abandoned,
 * named in a gap and skipped by the worker's successor, so that this returns within timeout_ms
 * (plus the time to start).  0; -ESRCH with err naming them if none of the PIDs exists; another
 * negative errno if not even a worker could be had.
 */
int nh_collect(struct nh_arena *a, const struct nh_collect_opts *o, struct nh_case **ret,
	struct nh_err *err);

#endif
