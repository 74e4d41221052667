/* One line of a log, taken apart.  Private to log*.c. */
#ifndef NH_EVIDENCE_LOG_LINE_H
#define NH_EVIDENCE_LOG_LINE_H

#include "evidence/log.h"
#include "know/log_lines.h"

/* What stands before the message.  Unknown: NH_UNKNOWN. */
struct nh_log_head {
	int64_t label;	    /* 3:, by srun --label before all else */
	int64_t rank;	    /* [rank3]: */
	int64_t role_rank;  /* [default3]:, of the launcher */
	int64_t group_rank; /* [PG ID 0 PG GUID 0 Rank 3] */
	int64_t at_ms;
	int clock;	  /* enum nh_log_clock */
	bool known;	  /* one of these prefixes, or glog's, was there */
	const char *body; /* the message, n bytes */
	size_t n;
};
void nh_log_head(const char *s, size_t n, struct nh_log_head *ret);

/* A whole number of up to 18 digits, perhaps negative, at s; *ret is untouched if there is none.
 * The bytes it takes. */
size_t nh_log_int(const char *s, size_t n, int64_t *ret);
/* The rank that a file's path tells: a place in torchrun's tree, or "rank3", "rank_3" in its name.
 */
int64_t nh_log_path_rank(const char *path);

/* Fills the event's numbers by the table, and the ranks it names. */
void nh_log_fields(struct nh_arena *a, const char *s, size_t n, struct nh_log_event *e);
/* The message as it is kept: valid UTF-8, bounded, masked. */
const char *nh_log_text(struct nh_arena *a, const char *s, size_t n);

/* True if the message holds a step and one more number of the table, as key=value or as JSON, or
 * what saving costs, with a step or without. */
bool nh_log_metrics(const char *s, size_t n, struct nh_log_step *ret);

#endif
