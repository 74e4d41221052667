#include "ranks/live_rules.h"

#include <string.h>

static nh_live_rule_fn *const rules[] = {
	nh_live_rule_dead,
	nh_live_rule_store,
	nh_live_rule_stall,
	nh_live_rule_mismatch,
	nh_live_rule_wait,
};

static void rule_out(struct nh_live_job *job, const char *why)
{
	static const char id[] = "collective-wait";

	nh_for(old, &job->verdict->ruled_out)
		if (!strcmp(old->id, id))
			return;
	*nh_push(job->a, &job->verdict->ruled_out) = (struct nh_ruled_out){ id, why };
}

void nh_live_convict(struct nh_live_job *job)
{
	size_t before = job->verdict->findings.n;

	if (!job->by[NH_DOES_WAIT].n) {
		rule_out(job, "no rank waits in a collective");
		return;
	}
	if (job->move == NH_MOVE_ON) {
		rule_out(job, "a rank that waits in a collective has moved on between the samples");
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		rules[i](job);
		if (job->verdict->findings.n > before)
			return;
	}
	rule_out(job, "what the ranks do is how they look in a job that does well, too");
}
