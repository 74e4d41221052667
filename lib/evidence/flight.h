/*
 * Flight-recorder dumps of PyTorch's c10d → rows of a case: format versions 1.x to 2.10, the older
 * bare lists, NCCL and Gloo, pickle (read by the restricted reader) or JSON.
 */
#ifndef NH_EVIDENCE_FLIGHT_H
#define NH_EVIDENCE_FLIGHT_H

#include "base/err.h"
#include "model/case.h"

/* True if the first bytes of a file (4 KiB at least, if it has them) are those of a dump. */
bool nh_flight_is(const char *buf, size_t len);

/* The rank a dump's file name ends with, before any extension ("nccl_trace_rank_host02_5" → 5);
 * -EINVAL where there is none. */
int64_t nh_flight_rank(const char *name);

/* Reads dumps into a case; its buffers serve one after the other.  NULL = no memory. */
struct nh_flight *nh_flight_new(struct nh_case *c);
void nh_flight_free(struct nh_flight *f);

/*
 * Adds one dump's rows to the case.  name is its file's; buf may be freed afterwards.  0, or a
 * negative errno with err naming file, byte and reason; the case then has a gap, and if the rank is
 * known a row that says its dump is damaged.  Memory: the values of the largest file, at most
 * NH_TREE_CELLS_MAX; beyond that only the rows that model/evidence.h says are kept.
 */
int nh_flight_read(
	struct nh_flight *f, const char *name, const char *buf, size_t len, struct nh_err *err);

#endif
