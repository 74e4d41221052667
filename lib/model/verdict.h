/* What analysis concludes: findings with their proof.  JSON: the contract in the design. */
#ifndef NH_MODEL_VERDICT_H
#define NH_MODEL_VERDICT_H

#include "model/field.h"

enum nh_status {
	NH_NOTHING_TO_INSPECT = 1,
	NH_NO_HANG,
	NH_INCONCLUSIVE,
	NH_PROBLEM,
	NH_HANG,
};

enum nh_confidence {
	NH_POSSIBLE = 1,
	NH_LIKELY,
	NH_CONFIRMED,
};

/* A culprit or a victim.  Unknown parts are left unknown. */
struct nh_actor {
	const char *host;
	int64_t pid, start, tid, rank, fd;
	const char *comm;
};

/* One arrow of the proof; from and to name nodes for a person, fact is what was read. */
struct nh_link {
	const char *from, *to, *edge, *fact;
	bool inferred; /* not read but concluded; caps the finding at likely */
};

/* A condition of the mechanism: "held", "not held" or "inferred", and from what. */
struct nh_gate {
	const char *gate, *state, *fact;
};

struct nh_remedy {
	const char *what;    /* what to do and its price */
	const char *command; /* to paste into a shell; NULL where there is none */
};

struct nh_finding {
	const char *id; /* the contract's finding id */
	int confidence; /* enum nh_confidence */
	const char *title;
	const char *because;	  /* id of another finding, of which the culprit here is a victim */
	struct nh_actor *culprit; /* NULL = unknown */
	NH_VEC(struct nh_actor) victims;
	int64_t victims_total; /* set where the list was shortened */
	NH_VEC(struct nh_link) chain;
	NH_VEC(struct nh_gate) gates;
	NH_VEC(const char *) evidence;
	NH_VEC(const char *) refutes;
	NH_VEC(const char *) unknown;
	NH_VEC(struct nh_remedy) remedy;
	bool of_ranks; /* not stored: told by the rules about a job's live ranks */
};

struct nh_ruled_out {
	const char *id, *why;
};

/* Something that could not be seen. */
struct nh_gap {
	const char *subject; /* "pid 4711", "network namespace 4026531840" */
	const char *what;    /* "descriptors", "memory" … */
	const char *why;     /* the error in words */
	const char *grant;   /* the exact command that would show it; NULL where none would */
	bool needed;	     /* a verdict of no-hang cannot be given without it */
	bool minor;	     /* told only who asks for everything */
};

struct nh_verdict {
	int status;			    /* enum nh_status */
	NH_VEC(struct nh_finding) findings; /* best first */
	NH_VEC(struct nh_ruled_out) ruled_out;
};

extern const struct nh_type nh_verdict_type, nh_finding_type, nh_gap_type;
extern const char *const nh_status_names[], *const nh_confidence_names[];

#endif
