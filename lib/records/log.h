/*
 * What logs prove: which rank failed first, who only followed, and what the training loops' own
 * numbers say.  Reads the case's rows of model/log.h only.
 */
#ifndef NH_RECORDS_LOG_H
#define NH_RECORDS_LOG_H

#include "model/case.h"

/*
 * Adds findings (out-of-memory, dead-peer, rank-missing, collective-wait, store-wait, straggler).
 * A flight-recorder finding of the same culprit, already in the verdict, becomes part of the one
 * that says what ended it.  Logs are one sample: nothing of it is more than likely.
 */
void nh_log_analyse(struct nh_case *c);

#endif
