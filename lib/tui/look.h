/* One look at the job: the cases and what every view derives from them, computed once. */
#ifndef NH_TUI_LOOK_H
#define NH_TUI_LOOK_H

#include "tui/lines.h"

struct nh_thread_row {
	struct nh_ref ref;
	const struct nh_thread *t;
	const char *waits; /* "poll of 65 slots, 500 ms timeout" */
	const char *role;  /* "service", "teardown", …; "" */
	char mark; /* '!' waits in another call than before, '~' has run since, '+' is new, ' ' */
	bool in_chain;
	const char *stand; /* "DataLoader worker, idle by design" */
	const char *text;  /* the row of the list, escaped */
	bool idle; /* by design, or it sleeps, in no chain, and the wait leads to nobody seen */
};

struct nh_process_row {
	struct nh_ref ref;
	const struct nh_process *p;
	const char *role;
	int depth; /* below the host's eldest */
};

struct nh_named {
	const char *name;
	struct nh_ref ref;
};

struct nh_look {
	struct nh_arena *a;
	const struct nh_case *merged;
	struct nh_case *const *cases;
	size_t n;
	const struct nh_graph *graphs; /* of each case's last sample */
	NH_VEC(struct nh_thread_row) threads;
	NH_VEC(struct nh_process_row) processes; /* parents before children, hosts in order */
	NH_VEC(struct nh_named) named;		 /* the nodes of the chains */
	const char *changes; /* since the look before, in words; NULL without one */
};

/* Everything lives in a.  before may be NULL; it is not kept. */
const struct nh_look *nh_look_new(struct nh_arena *a, const struct nh_case *merged,
	struct nh_case *const *cases, size_t n, const struct nh_look *before);
/* The node that a finding's chain calls so; none if it is not in the cases. */
struct nh_ref nh_look_find(const struct nh_look *l, const struct nh_finding *f, const char *name);
/* The row of the same node in the first sample; NULL if there is one sample only. */
const void *nh_look_earlier(const struct nh_look *l, struct nh_ref ref);
/* Whether it is the process (or of the process) that a finding names as the culprit. */
bool nh_look_culprit(const struct nh_look *l, size_t host, int64_t pid);

#endif
