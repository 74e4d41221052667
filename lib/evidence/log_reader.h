/* The log being read.  Private to log*.c. */
#ifndef NH_EVIDENCE_LOG_READER_H
#define NH_EVIDENCE_LOG_READER_H

#include "evidence/log_line.h"

/* Ranks told apart in one file; further ones are read as of an unknown rank. */
#define NH_LOG_STREAMS_MAX 4096
#define NH_LOG_KINDS (NH_LOG_NOTE + 1)

/* What one rank writes into a file, among others. */
struct nh_log_stream {
	int64_t rank;
	unsigned char kept[NH_LOG_KINDS]; /* events by kind */
	bool traceback;			  /* inside one */
	bool fresh;			  /* has events that are not marked as survived */
	size_t metrics;			  /* seen so far */
	struct nh_rank_metric *ring;	  /* the last NH_KEPT_METRICS */
	const char *host;		  /* as it said last */
	bool saves;			  /* it told what saving costs */
	struct nh_save_cost save;
};

struct nh_log {
	struct nh_case *c;
	const char *source;
	int64_t path_rank; /* of the file's place, NH_UNKNOWN */
	int64_t rank;	   /* of lines that do not say */
	bool unlabelled;   /* some line has no label of srun: numbers before others are none */
	struct nh_log_file row;
	size_t first; /* of the case's events: this file's first */
	struct nh_log_stream *streams;
	size_t nstreams, streams_cap;
	/* torchrun's summary */
	bool summary, root;
	struct nh_log_event failure;
	size_t n; /* of line */
	bool skipping;
	char line[NH_LOG_LINE_MAX];
};

/* A new event of that line; NULL = enough of this kind are kept, or there is no memory. */
struct nh_log_event *nh_log_event_add(
	struct nh_log *l, struct nh_log_stream *st, const struct nh_log_head *h, int kind);
/* NULL = no memory. */
struct nh_log_stream *nh_log_stream_of(struct nh_log *l, int64_t rank);
/* What the last line of a traceback tells; 0 = it is none. */
int nh_log_exception(const char *s, size_t n);
/* A line of torchrun's summary: "rank : 2 (local_rank: 2)". */
void nh_log_summary(struct nh_log *l, const struct nh_log_head *h);
/* error.json of torchrun. */
bool nh_log_is_error(const char *s, size_t n);
void nh_log_error(struct nh_log *l, const char *s, size_t n);

#endif
