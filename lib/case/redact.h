/* --redact: a case that can leave the building, with the same verdict. */
#ifndef NH_CASE_REDACT_H
#define NH_CASE_REDACT_H

#include "model/case.h"

/*
 * Replaces in place whatever the field tables call private: host names, boot id, command lines'
 * arguments (the program's base name stays), environment values that are not numbers, IP addresses
 * (one stable replacement per address, 192.0.2.N or 2001:db8::N, loopback and ports kept, so that
 * ends still mirror each other), paths' user-chosen components; and the same words inside the
 * verdict's prose and the gaps.  Process names (comm), numbers, states and library base names stay.
 */
void nh_case_redact(struct nh_case *c);

#endif
