/*
 * Dumps that were asked for while the job ran: they are of slightly different moments, and only of
 * the processes that could be asked.  Neither must convict anybody.
 */
#include "records/flight_job.h"
#include "rules/rule.h"

/* Longer than ranks of a job that moves are apart. */
#define WAITED_NS 1000000000LL

/* Whether some operation had been open for a while already when the inspection began. */
static bool waited(const struct nh_case *c)
{
	int64_t began_ns;

	if (c->boot_ms == NH_UNKNOWN || c->uptime_ms == NH_UNKNOWN)
		return true;
	began_ns = (c->boot_ms + c->uptime_ms) * 1000000;
	nh_for(e, &c->collectives)
		if (!e->done && e->created_ns != NH_UNKNOWN && e->created_ns < began_ns - WAITED_NS)
			return true;
	return false;
}

static bool was_asked(const struct nh_case *c, int64_t rank)
{
	nh_for(r, &c->rank_groups)
		if (r->rank == rank)
			return true;
	return false;
}

void nh_flight_live(struct nh_case *c, size_t before)
{
	if (!waited(c)) {
		c->verdict.findings.n = before;
		return;
	}
	for (size_t i = before; i < c->verdict.findings.n; i++) {
		struct nh_finding *f = &c->verdict.findings.v[i];

		if (!f->culprit || was_asked(c, f->culprit->rank))
			continue;
		f->confidence = NH_POSSIBLE;
		nh_tell_unknown(c->arena, f,
			"what rank %jd does: no dump was had of it, as it is not on this host, was "
			"not asked or did not answer",
			(intmax_t)f->culprit->rank);
	}
}
