/*
 * Whoever comes last to a collective waits least in it.  What that takes to be called so, the same
 * for times that the recorder took and for those that the training loop printed.
 */
#ifndef NH_RECORDS_STRAGGLER_H
#define NH_RECORDS_STRAGGLER_H

#include "model/case.h"

#define NH_STRAGGLER_STEPS 5  /* fewer tell nothing */
#define NH_STRAGGLER_SHARE 60 /* percent of the steps that one rank must hold */

/* A step is held by the rank that waited least, if that is at most two thirds of the median and
 * less by a millisecond. */
static inline bool nh_step_is_held(int64_t least_us, int64_t median_us)
{
	return median_us / 3 >= least_us / 2 && median_us - least_us >= 1000;
}

/* A finding for that rank, without title and victims. */
struct nh_finding *nh_straggler_found(struct nh_case *c, int64_t rank, int confidence);
/* Not convicted: some rank holds most steps, but one after the other. */
void nh_straggler_goes_round(struct nh_case *c, const char *what, size_t ranks);

#endif
