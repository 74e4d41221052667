/*
 * cpu-stall: a minority of the ranks is in no collective, and the others wait for it in one.
 * Whether it moves is said: a slow rank looks like a stuck one, and the others wait all the same.
 */
#include "ranks/live_rules.h"
#include "rules/role.h"

/* Whether what they wait in is known to be a collective: a wait for the GPU need not be. */
static bool only_device(const struct nh_live_job *job)
{
	nh_for(r, &job->ranks)
		if (r->doing == NH_DOES_WAIT && r->call.kind != NH_COLL_DEVICE)
			return false;
	return true;
}

/* The one outside that does not move, else the first. */
static const struct nh_live_rank *culprit_of(const struct nh_live_job *job)
{
	const struct nh_live_rank *first = NULL;

	nh_for(r, &job->ranks) {
		if (r->doing != NH_DOES_OUTSIDE)
			continue;
		if (r->move == NH_MOVE_STILL)
			return r;
		first = first ? first : r;
	}
	return first;
}

/* The others wait for one rank's save in many jobs that do well, for minutes at times. */
static bool saves_and_moves(const struct nh_live_rank *r)
{
	return r->move == NH_MOVE_ON && nh_role_of(r->g, r->t).role == NH_THREAD_CHECKPOINT;
}

/* 0 = what was seen is how ranks that do well look, too. */
static int confidence_of(const struct nh_live_job *job, const struct nh_live_rank *culprit)
{
	size_t out = job->by[NH_DOES_OUTSIDE].n, in = job->by[NH_DOES_WAIT].n;
	bool still = culprit->move == NH_MOVE_STILL, few = out < in || (out == 1 && in == 1);

	if (!still && (only_device(job) || !few))
		return 0;
	if (!few || job->move == NH_MOVE_ONCE || culprit->move == NH_MOVE_ONCE ||
		saves_and_moves(culprit))
		return NH_POSSIBLE;
	return still || job->move == NH_MOVE_STILL ? NH_LIKELY : NH_POSSIBLE;
}

static void tell_refutes(struct nh_live_job *job, struct nh_finding *f, const char *names)
{
	*nh_push(job->a, &f->refutes) =
		nh_arena_printf(job->a, "%s comes to the collective, and the others go on", names);
	*nh_push(job->a, &f->refutes) =
		"the others wait in it on a group that rank is no member of";
}

/* Why it does not come, as far as that can be seen. */
static const char *why_words(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r)
{
	const char *behind = nh_live_tell_behind(job, f, r), *how = "it moves, in";

	if (behind)
		return behind;
	if (saves_and_moves(r))
		how = "it saves a checkpoint, and moves, in";
	else if (r->move == NH_MOVE_STILL)
		how = "it stands still in";
	else if (r->move == NH_MOVE_ONCE || !r->cpu)
		how = "it is in";
	return nh_arena_printf(job->a, "%s %s", how, nh_live_place_words(job->a, r));
}

void nh_live_rule_stall(struct nh_live_job *job)
{
	const struct nh_ranks *out = &job->by[NH_DOES_OUTSIDE], *in = &job->by[NH_DOES_WAIT];
	const struct nh_live_rank *culprit = culprit_of(job);
	int confidence = culprit ? confidence_of(job, culprit) : 0;
	struct nh_finding *f;
	const char *names;

	if (!confidence)
		return;
	names = nh_ranks_words(job->a, out);
	f = nh_live_begin(job, "cpu-stall", confidence, culprit);
	nh_live_tell_link(job, f, in, out,
		nh_arena_printf(job->a, "in %s; %s in no collective, at %s", nh_live_op_words(job),
			nh_live_verb(out, "that one is", "those are"),
			nh_live_place_words(job->a, culprit)));
	nh_live_tell_places(job, f, out);
	nh_live_tell_places(job, f, in);
	f->title = nh_arena_printf(job->a, "%s %s not in %s, where %s %s: %s", names,
		nh_live_verb(out, "is", "are"), nh_live_op_words(job), nh_ranks_words(job->a, in),
		nh_live_verb(in, "waits", "wait"), why_words(job, f, culprit));
	nh_live_tell_cause(job, f, culprit);
	if (culprit->move == NH_MOVE_ON)
		nh_tell_unknown(job->a, f,
			"whether it is slow or stuck: it %s, so look again in a minute",
			culprit->cpu ? "uses the CPU" : "wakes up now and then");
	tell_refutes(job, f, names);
	nh_live_tell_rest(job, f, culprit);
	nh_tell_remedy(job->a, f,
		"see what keeps it: look at that process alone, with all of its stacks",
		nh_arena_printf(job->a, "ncclhang -a %jd", (intmax_t)culprit->p->pid));
}
