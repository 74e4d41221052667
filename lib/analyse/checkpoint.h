/* Whether a run can be resumed from the checkpoints of the case, and what saving them costs. */
#ifndef NH_ANALYSE_CHECKPOINT_H
#define NH_ANALYSE_CHECKPOINT_H

#include "model/case.h"

/*
 * Adds checkpoint-incomplete: one finding for what is torn, one for what lacks a state.  Files are
 * read once, and a save may still be running: never more than likely.
 */
void nh_checkpoint_analyse(struct nh_case *c);

/* Checkpoints of one run saved one after the other: how often, and what is at risk. */
struct nh_cadence {
	int64_t saves;
	int64_t interval_ms; /* the median from one's end to the next one's */
	int64_t write_ms;    /* the median from first to last file; unknown for single files */
	int64_t bytes;	     /* the largest */
};

/* False if fewer than three whole ones lie in one directory. */
bool nh_cadence_of(const struct nh_case *c, struct nh_cadence *ret);

/* The checkpoint's name as it is told: the file or directory. */
const char *nh_ckpt_name_words(struct nh_arena *a, const struct nh_checkpoint *k);

/* "50.0 KB" */
const char *nh_bytes_words(struct nh_arena *a, int64_t bytes);

#endif
