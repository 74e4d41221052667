/* The case → verdict step: wait-for graph, rules, ranking.  Reads nothing but the case. */
#ifndef NH_ANALYSE_ANALYSE_H
#define NH_ANALYSE_ANALYSE_H

#include "rules/standing.h"
#include "model/case.h"

/* Threads that are for the same and do the same. */
struct nh_group {
	enum nh_standing standing;
	int64_t processes;
	const char *who; /* "DataLoader worker"; their name where their role is not known */
	const char *
		what; /* "poll of 65 slots, 500 ms timeout"; where idle ones differ: their role's */
	const char *whom;  /* NH_AWAITS: for whom they wait */
	const char *where; /* NH_STILL: in which function; NULL */
	bool known;	   /* who is a role */
	NH_VEC(const struct nh_thread *) threads;
	NH_VEC(int64_t) pids; /* the first few processes */
};

struct nh_groups {
	struct nh_group *v;
	size_t n, cap;
	int64_t threads, processes;	/* all of them */
	int64_t standing[NH_STANDINGS]; /* threads that stand so */
	bool one_sample;		/* whether something moves could not be seen */
};

/*
 * Fills c->verdict from the case's tables and gaps (an earlier verdict in it is dropped, so that an
 * old case profits from newer rules).  Everything lives in the case's arena.
 */
void nh_analyse(struct nh_case *c);

/* The threads of the last sample, grouped, the most telling standing first, then by size.  Lives in
 * a. */
void nh_eliminate(struct nh_arena *a, const struct nh_case *c, struct nh_groups *ret);

/* Several cases as one: header, verdict (ranked over all), gaps of every host; the tables stay in
 * the single cases.  cases must have been analysed. */
void nh_merge(struct nh_case *const *cases, size_t n, struct nh_arena *a, struct nh_case *ret);

/* The exit status the contract gives a verdict: 0, 1 or 2. */
int nh_verdict_exit(const struct nh_verdict *v);

#endif
