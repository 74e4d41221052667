/* The ranks the logs tell of.  Private to log*.c. */
#ifndef NH_RECORDS_LOG_JOB_H
#define NH_RECORDS_LOG_JOB_H

#include "records/flight_job.h"

/* One rank; NH_UNKNOWN stands for whoever wrote the lines that no rank is known of. */
struct nh_log_rank {
	int64_t rank;
	const struct nh_log_event *cause;  /* its own failure; NULL = none */
	const struct nh_log_event *follow; /* what it suffered; NULL = nothing */
	const struct nh_log_event *ended;  /* what the launcher saw of it */
	int64_t when[NH_CLOCK_DAY + 1];	   /* of the cause, by each clock; NH_UNKNOWN */
};

struct nh_log_job {
	struct nh_arena *a;
	struct nh_case *c;
	NH_VEC(struct nh_log_rank) ranks;	   /* by rank */
	NH_VEC(const struct nh_log_rank *) causes; /* those with a cause, the first to fail first */
	bool ordered;		/* it is known that the first of them was the first */
	struct nh_ranks silent; /* wrote of no failure, and none was seen */
};

void nh_log_job_build(struct nh_case *c, struct nh_log_job *ret);

/* Adds the finding for what failed, if anything did. */
void nh_log_convict(struct nh_log_job *job);
/* What an out-of-memory error says of itself, and remedies. */
void nh_log_tell_memory(struct nh_log_job *job, struct nh_finding *f, const struct nh_log_event *e);

/* Adds a finding for a rank with the shortest wait in most steps. */
void nh_log_stragglers(struct nh_case *c);
/* The trend of a rank's peak memory, and what would be lost, as evidence. */
void nh_log_tell_headroom(
	struct nh_case *c, struct nh_finding *f, const struct nh_log_event *e, int64_t rank);
void nh_log_tell_loss(struct nh_case *c, struct nh_finding *f);

/* Where the rank ran, by its own lines; NULL = they do not say. */
const char *nh_log_host(const struct nh_case *c, int64_t rank);

/* "12.50 GiB" */
const char *nh_log_size(struct nh_arena *a, int64_t bytes);

#endif
