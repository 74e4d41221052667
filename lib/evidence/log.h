/*
 * Logs of ranks and of their launcher → rows of a case, read as a stream: any mix of ranks,
 * prefixes and time stamps, in plain files or in torchrun's tree with its error.json.
 */
#ifndef NH_EVIDENCE_LOG_H
#define NH_EVIDENCE_LOG_H

#include "model/case.h"

/* True if the first bytes of a file hold a line of a rank, its launcher or a training loop. */
bool nh_log_is(const char *buf, size_t len);
/* True if the path is one of torchrun's tree: …/attempt_N/M/{stdout.log,stderr.log,error.json}. */
bool nh_log_in_tree(const char *path);

/* Reads logs into a case, one after the other.  NULL = no memory. */
struct nh_log *nh_log_new(struct nh_case *c);
void nh_log_free(struct nh_log *l);
/* A file begins, its bytes come, it ends.  Memory: one line and NH_KEPT_METRICS numbers a rank,
 * besides the rows that model/log.h says are kept. */
void nh_log_begin(struct nh_log *l, const char *path);
void nh_log_feed(struct nh_log *l, const char *buf, size_t len);
void nh_log_end(struct nh_log *l);

#endif
