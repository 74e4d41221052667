/*
 * collective-wait: every rank that can be seen waits in the same thing and none is to blame: the
 * cause is on another host, or, if all are here, in the network or a GPU.
 */
#include "ranks/live_rules.h"

static bool judged(const struct nh_live_job *job)
{
	bool collective = false;

	if (job->by[NH_DOES_OUTSIDE].n)
		return false;
	nh_for(r, &job->ranks) {
		if (r->doing == NH_DOES_WAIT && nh_live_in_nccl_setup(r))
			return false;
		collective |= r->doing == NH_DOES_WAIT && r->call.kind > NH_COLL_DEVICE;
	}
	return collective;
}

static void tell_symmetric(struct nh_live_job *job, struct nh_finding *f)
{
	f->title = nh_arena_printf(job->a,
		"%s, all of the job, %s in %s and none is outside: look at what connects them",
		nh_ranks_words(job->a, &job->by[NH_DOES_WAIT]),
		nh_live_verb(&job->by[NH_DOES_WAIT], "waits", "wait"), nh_live_op_words(job));
	nh_tell_unknown(job->a, f,
		"what holds them: the network or a GPU, sizes that differ, or a transfer that takes "
		"longer than the time between the samples");
	nh_tell_remedy(job->a, f,
		"compare sizes and sequence numbers of the calls by their flight-recorder dumps",
		"ncclhang --dump");
}

static void tell_elsewhere(struct nh_live_job *job, struct nh_finding *f)
{
	const struct nh_ranks *in = &job->by[NH_DOES_WAIT], *unseen = &job->by[NH_DOES_UNSEEN];
	struct nh_ranks others = { 0 };

	for (size_t i = 0; i < job->elsewhere.n; i++)
		nh_ranks_add(job->a, &others, job->elsewhere.v[i]);
	for (size_t i = 0; i < unseen->n; i++)
		nh_ranks_add(job->a, &others, unseen->v[i]);
	nh_live_tell_link(job, f, in, &others,
		nh_arena_printf(job->a, "in %s; %s not seen of the job's %jd",
			nh_live_op_words(job), nh_live_verb(&others, "that one was", "those were"),
			(intmax_t)job->world));
	f->title = nh_arena_printf(job->a,
		"%s %s in %s; who has not come could not be seen from here: look at %s",
		nh_ranks_words(job->a, in), nh_live_verb(in, "waits", "wait"),
		nh_live_op_words(job), nh_ranks_words(job->a, &others));
}

void nh_live_rule_wait(struct nh_live_job *job)
{
	bool elsewhere = job->elsewhere.n, unseen = job->by[NH_DOES_UNSEEN].n;
	struct nh_finding *f;

	/* All of them busy in one call at one moment is how a job looks that does well. */
	if (!judged(job) || (!elsewhere && !unseen && job->move != NH_MOVE_STILL))
		return;
	f = nh_live_begin(job, "collective-wait",
		elsewhere && !unseen && job->move == NH_MOVE_STILL ? NH_LIKELY : NH_POSSIBLE, NULL);
	if (elsewhere || unseen)
		tell_elsewhere(job, f);
	else
		tell_symmetric(job, f);
	nh_live_tell_places(job, f, &job->by[NH_DOES_WAIT]);
	*nh_push(job->a, &f->refutes) =
		"the collective ends while the ranks that were not seen are "
		"as they are";
	nh_live_tell_rest(job, f, NULL);
}
