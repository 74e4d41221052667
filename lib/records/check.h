/* Whether the next failure will leave evidence, by what preflight checked. */
#ifndef NH_RECORDS_CHECK_H
#define NH_RECORDS_CHECK_H

#include "model/case.h"

/* Adds evidence-off if something is off, else what is on to ruled_out. */
void nh_checks_analyse(struct nh_case *c);

/* "pid 7: the next failure will leave its evidence"; off: the number of things that are off. */
const char *nh_checks_title(struct nh_arena *a, const char *subject, size_t off);
/* How to mend it, with its price. */
const char *nh_check_mend(struct nh_arena *a, const struct nh_check *k);

#endif
