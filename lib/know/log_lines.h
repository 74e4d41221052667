/* Lines of logs that tell of a failure: the part that is stable over versions, and its meaning. */
#ifndef NH_KNOW_LOG_LINES_H
#define NH_KNOW_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include "model/log.h"

struct nh_log_line {
	const char *text;  /* occurs in the line */
	int kind;	   /* enum nh_log_kind */
	const char *since; /* a release known to write it, NULL = not told by its source */
	const char *source;
};

/* The first row of the table whose text is in the n bytes at s; NULL = none. */
const struct nh_log_line *nh_log_line_of(const char *s, size_t n);

/* The part an event plays. */
enum nh_log_part {
	NH_LOG_CAUSE = 1, /* may have been the first to fail */
	NH_LOG_FOLLOWS,	  /* comes of another rank's failure */
	NH_LOG_TELLS,	  /* tells more of either */
};
enum nh_log_part nh_log_part(int kind);

enum nh_log_unit {
	NH_LOG_COUNT,
	NH_LOG_BYTES, /* "2.00 GiB" */
	NH_LOG_WORD,  /* the letters, digits and underscores that follow */
};

/* A field of struct nh_log_event that stands right after, or right before, a text of the line. */
struct nh_log_number {
	int kind;
	const char *mark;
	bool before;
	enum nh_log_unit unit;
	size_t offset;
};
extern const struct nh_log_number nh_log_numbers[];
extern const size_t nh_log_numbers_n;

/* The numbers of one line of the training loop. */
struct nh_log_step {
	struct nh_rank_metric metric;
	struct nh_save_cost save;
	char host[256]; /* "" = not told */
};

/* A number of the training loop: a key, and what one of its unit is in us or bytes. */
struct nh_log_metric {
	const char *key;
	size_t offset; /* in struct nh_log_step */
	double scale;
};
/* NULL = not a key of interest.  A key is n bytes long; upper and lower case are equal. */
const struct nh_log_metric *nh_log_metric_of(const char *key, size_t n);

#endif
