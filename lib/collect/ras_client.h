/* A client of NCCL's RAS service (what ncclras is), with a deadline for everything. */
#ifndef NH_COLLECT_RAS_CLIENT_H
#define NH_COLLECT_RAS_CLIENT_H

#include "base/arena.h"
#include "proc/parse.h"

/* Where NCCL_RAS_ADDR's default is. */
#define NH_RAS_DEFAULT "localhost:28028"
#define NH_RAS_ENDS 2

/*
 * The endpoints that "ADDRESS:PORT", "[ADDRESS]:PORT" or "localhost:PORT" means, in the order to
 * try; how many.  0 for a host's name: resolving it may block.
 */
size_t nh_ras_endpoints(const char *where, struct nh_addr ret[NH_RAS_ENDS]);

struct nh_ras_answer {
	const char *text; /* n bytes of lines; not repaired */
	size_t n;
	bool whole; /* the service ended it */
};
/*
 * Connects, agrees on the protocol and asks for VERBOSE STATUS; returns at until_ms
 * (CLOCK_MONOTONIC) at the latest.  0 if anything was answered; else -ECONNREFUSED or another error
 * of connect, -ETIMEDOUT, -EPROTO: what listens there is no RAS service.
 */
int nh_ras_ask(
	struct nh_arena *a, const struct nh_addr *to, int64_t until_ms, struct nh_ras_answer *ret);

#endif
