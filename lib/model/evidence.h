/*
 * What a job left behind, as rows.  Flight recorder: one dump a rank, written by PyTorch's c10d
 * (torch/csrc/distributed/c10d/FlightRecorder); format versions 1.x to 2.10, pickle or JSON.
 */
#ifndef NH_MODEL_EVIDENCE_H
#define NH_MODEL_EVIDENCE_H

#include "model/field.h"

/*
 * One rank's view of one process group, from one dump.  (rank, source, group) is its identity.  A
 * dump that could not be used, or names no group, has one row without a group.
 */
struct nh_rank_group {
	int64_t rank;			      /* from the file's name: the dump does not hold it */
	int64_t pg_id;			      /* the rank's own number of the group */
	NH_VEC(int64_t) members;	      /* global ranks in group order; empty = not told */
	int64_t enqueued, started, completed; /* pg_status: last sequence numbers; -1 = never */
	int64_t entries;		      /* of this group in the ring */
	int64_t first, last;		      /* collective sequence numbers the ring spans */
	int64_t newest_ns;		      /* latest time in any of them, since the epoch */
	int64_t timeout_ms;
	bool members_guessed; /* the dump does not say whose members they are (Gloo) */
	bool timing;	      /* start events were recorded: `started` means something */
	bool off;	      /* the recorder was off: no entries at all in the dump */
	bool p2p_cut;	      /* more P2P operations had not completed than are kept */
	const char *group, *desc;
	const char *version; /* of the dump's format, "1.0" for the old lists */
	const char *damaged; /* why the dump could not be used; NULL = it was */
	const char *source;  /* file */
};

enum nh_work_state {
	NH_WORK_SCHEDULED = 1,
	NH_WORK_STARTED,
	NH_WORK_COMPLETED,
};

/* One recorded operation.  Of each rank and group only those near the frontier are kept:
 * NH_KEPT_OPEN that had not completed and the last NH_KEPT_DONE that had; of coalesced ones, which
 * count as one, the first NH_KEPT_BATCH and the "coalesced" that ends them. */
struct nh_collective {
	int64_t rank;
	int64_t record; /* order of recording in the rank */
	int64_t seq;	/* collective_seq_id (1.x: seq_id) */
	int64_t p2p_seq, op_id;
	int64_t created_ns, started_ns,
		completed_ns;	     /* since the epoch; the latter two as noticed */
	int64_t duration_us;	     /* with timing on, once completed */
	int64_t in_numel, out_numel; /* elements in all tensors together */
	int state;		     /* enum nh_work_state */
	bool retired;		     /* given up by the watchdog, or completed */
	bool done;		     /* completed, by state or by pg_status */
	bool p2p;
	const char *group;
	const char *op; /* "all_reduce", "send 1->2"; without the back end's name */
	const char *in_sizes, *out_sizes, *in_dtypes, *out_dtypes; /* "[4096]", "Float" */
	const char *frame; /* innermost one outside PyTorch: "step (/app/train.py:71)" */
	const char *source;
};

/* Time a rank spent inside collectives between two occurrences of one call site: a step.  Only the
 * last NH_KEPT_STEPS. */
struct nh_step_wait {
	int64_t rank;
	int64_t seq;	    /* in `group`, of the collective that begins the step */
	int64_t created_ns; /* of that collective */
	int64_t wait_us;    /* sum over all groups; unknown without timing */
	int64_t ops;	    /* collectives in the step */
	const char *group, *source;
};

#define NH_KEPT_OPEN 32
#define NH_KEPT_DONE 8
#define NH_KEPT_BATCH 256
#define NH_KEPT_STEPS 64

extern const struct nh_type nh_rank_group_type, nh_collective_type, nh_step_wait_type;

#endif
