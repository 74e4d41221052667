/* Findings that say the same of the same culprit. */
#ifndef NH_ANALYSE_JOIN_H
#define NH_ANALYSE_JOIN_H

#include "model/case.h"

/*
 * Joins findings of one id, one confidence and one culprit (host, process, thread and rank; which
 * of its descriptors does not matter): one finding a culprit, with the victims and the proof of
 * all.  What is about a process that was asked for leads.
 */
void nh_join_findings(struct nh_case *c);

#endif
