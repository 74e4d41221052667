#include "records/log.h"

#include "records/log_job.h"
#include "rules/rule.h"

static void move_rows(struct nh_case *c, struct nh_finding *to, const struct nh_finding *from)
{
	nh_for(v, &from->victims) {
		bool known = to->culprit && v->rank == to->culprit->rank;

		nh_for(old, &to->victims)
			known |= old->rank == v->rank;
		if (!known)
			*nh_push(c->arena, &to->victims) = *v;
	}
	nh_for(l, &from->chain)
		*nh_push(c->arena, &to->chain) = *l;
	nh_for(e, &from->evidence)
		*nh_push(c->arena, &to->evidence) = *e;
}

/* What waited for the dead rank in the flight recorder's view is part of its story; where logs name
 * nobody, what they tell is part of the recorder's. */
static bool is_same_story(const struct nh_finding *logs, const struct nh_finding *dumps)
{
	if (dumps->culprit && dumps->culprit->pid != NH_UNKNOWN)
		return false;
	return !logs->culprit || (dumps->culprit && dumps->culprit->rank == logs->culprit->rank);
}

static void fold(struct nh_case *c, size_t dumps)
{
	struct nh_finding *logs = &c->verdict.findings.v[dumps];

	for (size_t i = 0; i < dumps; i++) {
		struct nh_finding *f = &c->verdict.findings.v[i];
		struct nh_finding *to = logs->culprit ? logs : f, *from = logs->culprit ? f : logs;

		if (!is_same_story(logs, f))
			continue;
		nh_tell_evidence(c->arena, to, "%s (%s): %s",
			to == logs ? "by the flight recorder" : "by the logs", from->id,
			from->title);
		move_rows(c, to, from);
		/* The last of them is the logs'. */
		*from = *logs;
		c->verdict.findings.n--;
		return;
	}
}

void nh_log_analyse(struct nh_case *c)
{
	struct nh_log_job job;
	size_t before = c->verdict.findings.n;

	if (!c->log_files.n)
		return;
	nh_log_job_build(c, &job);
	nh_log_convict(&job);
	if (c->verdict.findings.n > before && before)
		fold(c, before);
	else if (c->verdict.findings.n == before)
		nh_log_stragglers(c);
}
