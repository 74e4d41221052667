#include "records/straggler.h"

#include "records/flight_tell.h"
#include "rules/rule.h"

struct nh_finding *nh_straggler_found(struct nh_case *c, int64_t rank, int confidence)
{
	struct nh_finding *f =
		nh_row_push(c->arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

	f->id = "straggler";
	f->confidence = confidence;
	f->culprit = nh_new(c->arena, struct nh_actor, 1);
	*f->culprit = nh_flight_actor(rank);
	*nh_push(c->arena, &f->refutes) =
		"the same hardware with the ranks exchanged: the slow place stays or moves with the rank";
	nh_tell_remedy(c->arena, f,
		"compare that rank's GPU clocks and throttling, its input pipeline and its host's load "
		"with another's",
		"nvidia-smi -q -d PERFORMANCE,CLOCK");
	return f;
}

void nh_straggler_goes_round(struct nh_case *c, const char *what, size_t ranks)
{
	*nh_push(c->arena, &c->verdict.ruled_out) = (struct nh_ruled_out){ "straggler",
		nh_arena_printf(c->arena,
			"the shortest %s goes round among %zu ranks: uneven batches, no slow rank",
			what, ranks) };
}
