/* The order in which findings are told. */
#ifndef NH_ANALYSE_RANK_H
#define NH_ANALYSE_RANK_H

#include "model/verdict.h"

/* A cause above its consequences; then the surest first, then the one with most victims, then by
 * title so that two reports diff well. */
void nh_rank_findings(struct nh_verdict *v);

#endif
