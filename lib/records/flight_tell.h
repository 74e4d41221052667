/* The parts of a finding that all of the flight recorder's share. */
#ifndef NH_RECORDS_FLIGHT_TELL_H
#define NH_RECORDS_FLIGHT_TELL_H

#include "records/flight_job.h"

struct nh_actor nh_flight_actor(int64_t rank);
/* The arrow from the block's waiters to whom they wait for. */
void nh_flight_tell_link(struct nh_job *job, struct nh_finding *f, const struct nh_block *b);
/* Where a waiting rank stands in the program, and how far the culprits got. */
void nh_flight_tell_places(struct nh_job *job, struct nh_finding *f, const struct nh_block *b,
	const struct nh_ranks *culprits);
/* A needed gap for every member that cannot be judged. */
void nh_flight_tell_gaps(struct nh_job *job, const struct nh_block *b);
/* What is unknown, what would refute it, remedies. */
void nh_flight_tell_rest(struct nh_job *job, struct nh_finding *f, const struct nh_block *b,
	const struct nh_ranks *culprits);

#endif
