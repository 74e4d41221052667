/*
 * What a job's ranks wait for, one rule a file; each adds a finding or nothing.  They are asked in
 * this order, and the first that convicts explains the job.
 */
#ifndef NH_RANKS_LIVE_RULES_H
#define NH_RANKS_LIVE_RULES_H

#include "ranks/live_tell.h"
#include "rules/nccl.h"
#include "graph/words.h"

/* live_behind.c: what the processes do that a rank outside waits for.  The first of them in words,
 * or NULL. */
const char *nh_live_tell_behind(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r);

typedef void nh_live_rule_fn(struct nh_live_job *job);

nh_live_rule_fn nh_live_rule_dead, /* dead-peer */
	nh_live_rule_store,	   /* store-wait */
	nh_live_rule_stall,	   /* cpu-stall */
	nh_live_rule_mismatch,	   /* collective-mismatch */
	nh_live_rule_wait;	   /* collective-wait */

#endif
