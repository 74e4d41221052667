/*
 * A case: everything that was read of one host at one time, as flat tables keyed by
 * (sample, pid, tid, inode).  Plain data: no descriptor, no callback, no pointer out of the arena.
 */
#ifndef NH_MODEL_CASE_H
#define NH_MODEL_CASE_H

#include "model/check.h"
#include "model/checkpoint.h"
#include "model/evidence.h"
#include "model/gpu.h"
#include "model/kernel.h"
#include "model/lock.h"
#include "model/log.h"
#include "model/process.h"
#include "model/python.h"
#include "model/ras.h"
#include "model/socket.h"
#include "model/stack.h"
#include "model/verdict.h"

/* Present schema; bumps on a change of meaning only. */
#define NH_SCHEMA 1

/* One look at the host, and how far the host-wide search for holders came in it. */
struct nh_sample {
	int64_t sample;
	int64_t at_ms;	    /* since the case began, when its first thread was read */
	int64_t walked;	    /* processes whose descriptors were searched */
	int64_t unreadable; /* processes whose descriptors could not be read */
	int64_t fds;	    /* descriptors looked at */
	bool complete;	    /* the search came to its end in time */
	bool suspects_only; /* the second search: relatives, holders and new processes, no more */
	NH_VEC(int64_t) inodes; /* the socket and pipe inodes whose holders were searched */
};

struct nh_case {
	struct nh_arena *arena;
	/* header */
	const char *id;
	int64_t schema;
	const char *tool, *host, *boot_id, *kernel, *machine; /* machine: uname -m */
	const char *taken;				      /* RFC 3339 */
	int64_t duration_ms;
	int64_t boot_ms;       /* wall-clock of boot in ms since the epoch: start ticks → time */
	int64_t uptime_ms;     /* since boot when the case began: start ticks → age */
	int64_t ticks_per_s;   /* clock ticks per second of every *time and start field */
	NH_VEC(int64_t) asked; /* the PIDs that were asked for; empty = host-wide search */
	int64_t unexamined;    /* host-wide search: processes that could not be examined */
	bool selected;	       /* at least one process of interest was found */
	struct nh_verdict verdict;
	NH_VEC(struct nh_gap) gaps;
	/* tables */
	NH_VEC(struct nh_sample) samples;
	NH_VEC(struct nh_process) processes;
	NH_VEC(struct nh_thread) threads;
	NH_VEC(struct nh_fd) fds;
	NH_VEC(struct nh_socket) sockets;
	NH_VEC(struct nh_file_lock) file_locks;
	NH_VEC(struct nh_lock_file) lock_files;
	NH_VEC(struct nh_shared_map) shared_maps;
	NH_VEC(struct nh_module) modules;
	NH_VEC(struct nh_stack) stacks;
	NH_VEC(struct nh_interpreter) interpreters;
	NH_VEC(struct nh_cgroup) cgroups;
	NH_VEC(struct nh_kernel_event) kernel_events;
	NH_VEC(struct nh_ras) ras;
	NH_VEC(struct nh_gpu) gpus;
	NH_VEC(struct nh_rank_group) rank_groups;
	NH_VEC(struct nh_collective) collectives;
	NH_VEC(struct nh_step_wait) step_waits;
	NH_VEC(struct nh_log_file) log_files;
	NH_VEC(struct nh_log_event) log_events;
	NH_VEC(struct nh_checkpoint) checkpoints;
	NH_VEC(struct nh_rank_metric) rank_metrics;
	NH_VEC(struct nh_save_cost) save_costs;
	NH_VEC(struct nh_check) checks;
};

/* The header object's fields, and the tables' lists by name ("processes", "threads" …). */
extern const struct nh_type nh_case_header_type, nh_case_tables_type;

/* A new row of a case's table with everything unknown: nh_case_row(c, thread, threads). */
#define nh_case_row(c, kind, table)                                                                \
	((struct nh_##kind *)nh_row_push(                                                          \
		(c)->arena, &nh_##kind##_type, (struct nh_vec *)&(c)->table))

extern const struct nh_type nh_sample_type;

#endif
