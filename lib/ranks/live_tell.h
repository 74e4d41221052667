/* The parts of a finding that all rules about live ranks share. */
#ifndef NH_RANKS_LIVE_TELL_H
#define NH_RANKS_LIVE_TELL_H

#include "ranks/live_job.h"

/* A finding of the job's verdict with those that wait as its victims; the culprit may be NULL. */
struct nh_finding *nh_live_begin(struct nh_live_job *job, const char *id, int confidence,
	const struct nh_live_rank *culprit);
/* The arrow from those that wait to whom they wait for, why, and which fact says so. */
void nh_live_tell_link(struct nh_live_job *job, struct nh_finding *f, const struct nh_ranks *from,
	const struct nh_ranks *to, const char *fact);
/* Where each of them is: its collective, or its last frame and what it waits in. */
void nh_live_tell_places(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_ranks *ranks);
/* Ranks that could not be judged, connections to other hosts, remedies. */
void nh_live_tell_rest(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *culprit);
/* Another finding that explains why a rank does not come: each mentions the other. */
void nh_live_tell_cause(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *culprit);
/* "all_reduce", or what those that wait are in where it is more than one thing. */
const char *nh_live_op_words(const struct nh_live_job *job);
/* "read_shard at ranks.py:55" */
const char *nh_live_place_words(struct nh_arena *a, const struct nh_live_rank *r);
/* "wait" or "waits" */
const char *nh_live_verb(const struct nh_ranks *r, const char *one, const char *many);

#endif
