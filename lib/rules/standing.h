/*
 * Where every thread stands: what is idle by design and what waits for somebody is eliminated, so
 * that the few remain that should move and do not.
 */
#ifndef NH_RULES_STANDING_H
#define NH_RULES_STANDING_H

#include "graph/graph.h"

/* In the order in which they are told. */
enum nh_standing {
	NH_IN_CHAIN, /* of a finding */
	NH_STILL,    /* in the same call in both samples, neither idle by design nor waiting for
			anybody known: it should move */
	NH_UNSEEN,   /* what it does, or whether it moves, could not be read */
	NH_AWAITS,   /* waits for somebody in particular */
	NH_MOVES,    /* runs, or has run between the samples */
	NH_IDLE,     /* by design */
	NH_ENDED,
	NH_STANDINGS,
};

struct nh_thread_stand {
	enum nh_standing standing;
	const char *role;  /* "DataLoader worker", "NCCL proxy service thread"; NULL = not known */
	const char *shape; /* how that looks when idle */
	const char *whom;  /* AWAITS: "its DataLoader workers" */
	const char *where; /* STILL: the innermost function, and who called it out of Python's
			      library; NULL */
};

/* Strings live in a or in tables; g is the graph of the last sample. */
struct nh_thread_stand nh_thread_stands(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t);
/* "stands still", "waits for", … */
const char *nh_standing_word(enum nh_standing s);

#endif
