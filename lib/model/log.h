/*
 * What the ranks' logs say, as rows: lines that tell of a failure, numbers of the training loop,
 * and which files there were.  Sources: standard output and error of ranks, torchrun's log tree
 * with its error.json, the launcher's own log.
 */
#ifndef NH_MODEL_LOG_H
#define NH_MODEL_LOG_H

#include "model/field.h"

/* What a line tells; know/log_lines.c has the texts. */
enum nh_log_kind {
	NH_LOG_OOM = 1,
	NH_LOG_CUDA,	  /* an error of CUDA or of the GPU */
	NH_LOG_WORKER,	  /* a DataLoader worker ended */
	NH_LOG_EXCEPTION, /* the last line of a Python traceback that nothing else names */
	NH_LOG_SIGNAL,	  /* the launcher saw the rank end by a signal */
	NH_LOG_EXIT,	  /* the launcher saw the rank exit with a status */
	NH_LOG_PEER_GONE, /* the other end of a connection is gone */
	NH_LOG_TIMEOUT,	  /* a collective did not complete in time */
	NH_LOG_STORE,	  /* a key of the store did not come in time */
	NH_LOG_WATCHDOG,  /* the watchdog aborts the process */
	NH_LOG_CLOSING,	  /* the launcher ends a rank that still runs */
	NH_LOG_LAGGING,	  /* ranks are named that did not come */
	NH_LOG_NCCL,	  /* an error or a warning of NCCL */
	NH_LOG_UNREDUCED, /* DDP: parameters without gradient */
	NH_LOG_NOTE,	  /* more of a failure: a dump written, a stuck watchdog */
};

/* Times are compared only within one clock: zones and years are not in the lines. */
enum nh_log_clock {
	NH_CLOCK_EPOCH = 1, /* seconds since the epoch */
	NH_CLOCK_DATE,	    /* date and time of an unknown zone */
	NH_CLOCK_DAY,	    /* month, day and time, without the year */
};

/* One line.  Of each rank and kind in a file, the first NH_KEPT_EVENTS. */
struct nh_log_event {
	int64_t rank;	    /* global, from a prefix or the file's place */
	int64_t group_rank; /* from a process group's prefix: counts in that group only */
	int64_t local_rank; /* on its host */
	int64_t line;	    /* number in the file, from 1 */
	int64_t at_ms;	    /* by `clock` */
	int clock;	    /* enum nh_log_clock */
	int kind;	    /* enum nh_log_kind */
	/* OOM: bytes */
	int64_t requested, free, allocated, reserved, capacity;
	int64_t gpu;
	int64_t signal, exit_code, pid;
	/* collectives */
	int64_t seq, enqueued, completed, timeout_ms;
	NH_VEC(int64_t) named; /* LAGGING: ranks the line names */
	bool root;	       /* the launcher calls it the first failure */
	bool survived;	       /* the rank told of a further step after it, in the same file */
	const char *op, *host;
	const char *text; /* the message, bounded, token-like words masked */
	const char *source;
};

/* One step of one rank.  Of each rank in a file, the last NH_KEPT_METRICS. */
struct nh_rank_metric {
	int64_t rank, step;
	int64_t compute_us, wait_us;
	int64_t peak_bytes, total_bytes; /* of GPU memory */
	int64_t checkpoint_step;	 /* the last one that was saved */
	const char *host;		 /* where it said it ran */
	const char *source;
};

/* What a rank says its saving costs, each number as it was last told in the file. */
struct nh_save_cost {
	int64_t rank;
	int64_t step_us;     /* of one step, saves apart */
	int64_t every;	     /* steps between saves */
	int64_t interval_us; /* between saves, by the clock on the wall */
	int64_t block_us;    /* that one save holds up the training */
	int64_t write_us;    /* from its begin until it can be resumed from */
	int64_t mtbf_us;     /* mean time between failures */
	const char *source;
};

/* A file that was read as a log, empty ones included. */
struct nh_log_file {
	int64_t rank;	       /* whose it is; unknown where ranks are mixed */
	NH_VEC(int64_t) ranks; /* of which it has lines */
	int64_t lines;	       /* in it */
	int64_t cut;	       /* lines of which only the first NH_LOG_LINE_MAX bytes were read */
	const char *source;
};

#define NH_KEPT_EVENTS 8
#define NH_KEPT_METRICS 128
#define NH_LOG_LINE_MAX 65536

extern const struct nh_type nh_log_event_type, nh_rank_metric_type, nh_save_cost_type,
	nh_log_file_type;

#endif
