/*
 * What flight-recorder dumps prove: per group the frontier, who stands behind it, and whom that one
 * waits for in turn.  Reads the case's rows of model/evidence.h only.
 */
#ifndef NH_RECORDS_FLIGHT_H
#define NH_RECORDS_FLIGHT_H

#include "model/case.h"

/*
 * Adds findings (rank-missing, gpu-not-started, collective-mismatch, collective-wait, straggler)
 * and gaps.  A set of dumps is one sample, so nothing of it is more than likely.
 */
void nh_flight_analyse(struct nh_case *c);

#endif
