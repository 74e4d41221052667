/* What NCCL's RAS service complained of, as evidence. */
#ifndef NH_RULES_NCCL_RAS_H
#define NH_RULES_NCCL_RAS_H

#include "model/case.h"

/*
 * Each entry below "Errors" and "Warnings" of the answers in the case as one sentence, at most a
 * few; that there are none if there are none.  Nothing if RAS was not asked or did not answer.
 */
void nh_nccl_tell_ras(struct nh_arena *a, const struct nh_case *c, struct nh_finding *f);

#endif
