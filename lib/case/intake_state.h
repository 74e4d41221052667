/* The intake's state.  Private to intake*.c. */
#ifndef NH_CASE_INTAKE_STATE_H
#define NH_CASE_INTAKE_STATE_H

#include "case/intake.h"
#include "case/map.h"
#include "evidence/flight.h"
#include "evidence/log.h"

/* A case and what came of it. */
struct nh_intake_entry {
	struct nh_case c;
	NH_VEC(int64_t) lines; /* the numbers of its lines, each once, as they came */
	int64_t last;	       /* number of the line that ended it, -1 = none yet */
	int64_t most;	       /* the highest number so far */
	const char *prefix;    /* what pdsh called the host, NULL = nothing */
};

/* A file or stream: its lines may arrive in pieces, between pieces of others. */
struct nh_intake_source {
	const char *name;  /* NULL: ended */
	NH_VEC(char) part; /* the beginning of an unfinished line */
	int64_t line;	   /* number of the present line, from 1 */
	bool skipping;	   /* the present line is too long, its rest is dropped */
};

struct nh_intake {
	struct nh_arena *a;
	NH_VEC(struct nh_intake_entry *) cases;
	NH_VEC(struct nh_intake_source) sources;
	struct nh_map ids;	       /* case id → struct nh_intake_entry */
	struct nh_map seen;	       /* case and line number → itself */
	struct nh_intake_entry *files; /* the case made of evidence files, NULL = there were none */
	struct nh_flight *flight;
	struct nh_log *log;
	uint64_t hash; /* of those files */
	NH_VEC(const char *) errors;
	size_t untold; /* errors that were not kept */
	char more[64];
};

/* No further file will come. */
void nh_intake_end_files(struct nh_intake *in);

#endif
