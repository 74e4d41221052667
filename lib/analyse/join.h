/* Findings that say the same of the same culprit. */
#ifndef NH_ANALYSE_JOIN_H
#define NH_ANALYSE_JOIN_H

#include "model/verdict.h"

/*
 * Joins findings of one id, one confidence and one culprit (host, process, thread and rank; which
 * of its descriptors does not matter): one finding a culprit, with the victims and the proof of
 * all.
 */
void nh_join_findings(struct nh_arena *a, struct nh_verdict *v);

#endif
