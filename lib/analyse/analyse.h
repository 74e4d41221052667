/* The case → verdict step: wait-for graph, rules, ranking.  Reads nothing but the case. */
#ifndef NH_ANALYSE_ANALYSE_H
#define NH_ANALYSE_ANALYSE_H

#include "model/case.h"

/* Threads or processes that wait in the same thing, for the elimination. */
struct nh_group {
	int64_t threads, processes;
	const char *what;    /* "poll, 65 descriptors, 500 ms" */
	const char *comm;    /* name shared by all of them, or NULL */
	const char *verdict; /* "in the chain", "waits to be joined", "idle by design", … or NULL */
	NH_VEC(int64_t) pids; /* the first few */
	bool in_chain;	      /* a finding's chain runs through it */
};

struct nh_groups {
	struct nh_group *v;
	size_t n, cap;
};

/*
 * Fills c->verdict from the case's tables and gaps (an earlier verdict in it is dropped, so that an
 * old case profits from newer rules).  Everything lives in the case's arena.
 */
void nh_analyse(struct nh_case *c);

/* The elimination of the last sample: whatever waits, grouped, chain members first, then by size.
 */
void nh_eliminate(const struct nh_case *c, struct nh_groups *ret);

/* Several cases as one: header, verdict (ranked over all), gaps of every host; the tables stay in
 * the single cases.  cases must have been analysed. */
void nh_merge(struct nh_case *const *cases, size_t n, struct nh_arena *a, struct nh_case *ret);

/* The exit status the contract gives a verdict: 0, 1 or 2. */
int nh_verdict_exit(const struct nh_verdict *v);

#endif
