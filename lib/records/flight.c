#include "records/flight.h"

#include "records/flight_job.h"

/* Dumps of which none says what any rank did: no verdict can come of them. */
static void nothing_told(const struct nh_job *job)
{
	struct nh_gap *gap;

	nh_for(row, &job->rows)
		if ((*row)->enqueued != NH_UNKNOWN || (*row)->entries > 0)
			return;
	gap = nh_push(job->a, &job->c->gaps);
	gap->subject = "flight recorder";
	gap->what = "operations";
	gap->why = "no dump holds any: the recorder was off, or the files are damaged";
	gap->grant = "export TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_TRACE_BUFFER_SIZE=2000";
	gap->needed = true;
}

void nh_flight_analyse(struct nh_case *c)
{
	struct nh_job job;
	size_t before = c->verdict.findings.n;

	if (!c->rank_groups.n)
		return;
	nh_job_build(c, &job);
	nh_job_stand(&job);
	nh_job_block(&job);
	nh_job_block_p2p(&job);
	nh_job_follow(&job);
	nothing_told(&job);
	nh_job_convict(&job);
	if (c->samples.n)
		nh_flight_live(c, before);
	if (c->verdict.findings.n == before)
		nh_job_stragglers(&job);
}
