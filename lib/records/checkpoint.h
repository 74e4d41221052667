/* Whether a run can be resumed from the checkpoints of the case, and what saving them costs. */
#ifndef NH_RECORDS_CHECKPOINT_H
#define NH_RECORDS_CHECKPOINT_H

#include "model/case.h"

/*
 * Adds checkpoint-incomplete: one finding for what is torn, one for what lacks a state.  Files are
 * read once, and a save may still be running: never more than likely.
 */
void nh_checkpoint_analyse(struct nh_case *c);

/*
 * How often a run saves, what that costs and what is at risk: as its logs tell it (of several ranks
 * the slowest counts), else from checkpoints of one directory saved one after the other.
 */
struct nh_cadence {
	int64_t saves; /* files that were compared; 0 = fewer than three whole ones */
	int64_t interval_us;
	bool training; /* the interval counts steps, and not what saves hold up */
	int64_t write_us, block_us;
	int64_t step_us, every;
	int64_t mtbf_us;
};

/* False if neither the interval nor what a save costs is known. */
bool nh_cadence_of(const struct nh_case *c, struct nh_cadence *ret);

/* The checkpoint's name as it is told: the file or directory. */
const char *nh_ckpt_name_words(struct nh_arena *a, const struct nh_checkpoint *k);

/* "50.0 KB" */
const char *nh_bytes_words(struct nh_arena *a, int64_t bytes);

#endif
