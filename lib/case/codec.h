/*
 * A case as JSON Lines: every line one object of at most NH_LINE_MAX bytes with "case" and "n", the
 * first with the header, the verdict and the gaps, the last with "end":true, between them the
 * tables in as many lines as they need.  Written and read by the field tables of lib/model.
 */
#ifndef NH_CASE_CODEC_H
#define NH_CASE_CODEC_H

#include "base/err.h"
#include "model/case.h"

#define NH_LINE_MAX 65536 /* with the newline; pdsh cuts lines at twice that */

/* Takes n bytes of output; 0 or a negative errno. */
struct nh_sink {
	int (*write)(void *ctx, const char *buf, size_t n);
	void *ctx;
};

struct nh_writer {
	struct nh_sink sink;
	const char *id; /* the case's */
	int64_t n;	/* number of the next line */
};

/* A fresh case id: 16 lower-case hex digits from getrandom(2). */
const char *nh_case_new_id(struct nh_arena *a);

/* Line 0.  A verdict that does not fit shortens victims, then chains and evidence, with counts
 * (victims_total, a last element "… N more"); gaps that do not fit move to further lines as a
 * "gaps" table. */
int nh_write_header(struct nh_writer *w, const struct nh_case *c);
/* Every row of every table, as lines {"case":…,"n":…,"threads":[…]}.  May be called again after
 * the tables were emptied and filled anew: a case can be streamed while it is collected.  A single
 * row over the limit has its longest strings cut, marked by a final "…". */
int nh_write_tables(struct nh_writer *w, const struct nh_case *c);
/* Gaps alone, as a table line; nh_write_header includes them already. */
int nh_write_gaps(struct nh_writer *w, const struct nh_case *c);
/* {"case":…,"n":…,"end":true} */
int nh_write_end(struct nh_writer *w);
/* Header, tables, end. */
int nh_case_write(const struct nh_case *c, struct nh_sink sink);

#endif
