/*
 * collective-mismatch: every rank waits, but not in the same thing; or one rank is in two things at
 * once, on two threads.  The minority is the culprit, a tie names none.
 */
#include "ranks/live_rules.h"

#include <string.h>

struct side {
	const char *op;
	struct nh_ranks ranks;
};
struct sides {
	struct side *v;
	size_t n, cap;
};

static bool counts(const struct nh_live_rank *r)
{
	return r->doing == NH_DOES_WAIT && !r->call.servant && r->call.op &&
	       (r->call.kind == NH_COLL_ALL || r->call.kind == NH_COLL_STORE);
}

static void find_sides(struct nh_live_job *job, struct sides *ret)
{
	bool all = false;

	nh_for(r, &job->ranks) {
		struct side *to = NULL;

		if (!counts(r))
			continue;
		all |= r->call.kind == NH_COLL_ALL;
		nh_for(s, ret)
			if (!strcmp(s->op, r->call.op))
				to = s;
		if (!to) {
			to = nh_push(job->a, ret);
			to->op = r->call.op;
		}
		nh_ranks_add(job->a, &to->ranks, r->rank);
	}
	/* Different steps of one start are no different collectives. */
	if (!all)
		ret->n = 0;
}

/* The side more than half are on; NULL = none is. */
static const struct side *majority(const struct nh_live_job *job, const struct sides *all)
{
	nh_for(s, all)
		if (s->ranks.n * 2 > job->by[NH_DOES_WAIT].n + job->by[NH_DOES_UNSEEN].n)
			return s;
	return NULL;
}

static int confidence_of(const struct nh_live_job *job)
{
	return job->move == NH_MOVE_ONCE || job->elsewhere.n || job->by[NH_DOES_UNSEEN].n
		       ? NH_POSSIBLE
		       : NH_LIKELY;
}

static void tell_rest(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *culprit)
{
	nh_live_tell_places(job, f, &job->by[NH_DOES_WAIT]);
	*nh_push(job->a, &f->refutes) =
		"the calls are on different groups, and each waits for somebody else";
	nh_live_tell_rest(job, f, culprit);
	nh_tell_remedy(job->a, f,
		"look for a collective that only some ranks reach: inside `if rank == 0`, a branch "
		"that depends on data, an exception that one rank caught",
		NULL);
}

static void tell_sides(struct nh_live_job *job, const struct sides *all)
{
	struct nh_arena *a = job->a;
	const struct side *most = majority(job, all);
	struct nh_ranks odd = { 0 };
	const struct nh_live_rank *culprit;
	const char *words = "", *sep = "";
	struct nh_finding *f;

	nh_for(s, all) {
		words = nh_arena_printf(
			a, "%s%s%s in %s", words, sep, nh_ranks_words(a, &s->ranks), s->op);
		sep = ", ";
		for (size_t i = 0; most && s != most && i < s->ranks.n; i++)
			nh_ranks_add(a, &odd, s->ranks.v[i]);
	}
	culprit = odd.n ? nh_live_rank(job, odd.v[0]) : NULL;
	f = nh_live_begin(job, "collective-mismatch", confidence_of(job), culprit);
	if (most) {
		f->title = nh_arena_printf(a, "%s %s in %s, while %s %s in %s",
			nh_ranks_words(a, &odd), nh_live_verb(&odd, "waits", "wait"),
			all->n == 2 && culprit && culprit->call.op ? culprit->call.op
								   : "other collectives",
			nh_ranks_words(a, &most->ranks),
			nh_live_verb(&most->ranks, "waits", "wait"), most->op);
		nh_live_tell_link(job, f, &most->ranks, &odd, words);
		nh_live_tell_link(job, f, &odd, &most->ranks, words);
	} else {
		f->title = nh_arena_printf(a,
			"ranks wait in different collectives: %s; no majority, so no rank is named",
			words);
		nh_live_tell_link(job, f, &all->v[0].ranks, &all->v[1].ranks, words);
		nh_live_tell_link(job, f, &all->v[1].ranks, &all->v[0].ranks, words);
	}
	tell_rest(job, f, culprit);
}

static void tell_twice(struct nh_live_job *job, const struct nh_ranks *who)
{
	const struct nh_live_rank *first = nh_live_rank(job, who->v[0]);
	bool few = who->n * 2 < job->ranks.n || job->ranks.n == 1;
	struct nh_finding *f =
		nh_live_begin(job, "collective-mismatch", confidence_of(job), few ? first : NULL);

	f->title = nh_arena_printf(job->a,
		"%s %s in two collectives at once, on two threads: %s and %s",
		nh_ranks_words(job->a, who), nh_live_verb(who, "is", "are each"), first->call.op,
		first->second.op);
	tell_rest(job, f, first);
	nh_tell_unknown(job->a, f,
		"whether both are on one group: on one, their order may differ from rank to rank");
}

void nh_live_rule_mismatch(struct nh_live_job *job)
{
	struct sides all = { 0 };
	struct nh_ranks twice = { 0 };

	if (job->by[NH_DOES_OUTSIDE].n)
		return;
	find_sides(job, &all);
	if (all.n > 1) {
		tell_sides(job, &all);
		return;
	}
	nh_for(r, &job->ranks)
		if (r->doing == NH_DOES_WAIT && r->second.kind != NH_COLL_NONE)
			nh_ranks_add(job->a, &twice, r->rank);
	if (twice.n)
		tell_twice(job, &twice);
}
