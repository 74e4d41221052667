#include "records/flight_job.h"

#include <string.h>
#include "records/flight_tell.h"
#include "rules/rule.h"

/* What is being told: the blocks that share a cause, and those that wait for their waiters. */
struct story {
	struct nh_job *job;
	struct nh_finding *f;
	NH_VEC(struct nh_block *) own;
	NH_VEC(struct nh_block *) upstream;
	struct nh_ranks victims;
};

static void take(struct story *s, struct nh_block *b)
{
	b->told = true;
	for (size_t i = 0; i < b->waiters.n; i++)
		nh_ranks_add(s->job->a, &s->victims, b->waiters.v[i]);
}

static bool holds(const struct story *s, const struct nh_block *b)
{
	nh_for(own, &s->own)
		if (*own == b)
			return true;
	nh_for(up, &s->upstream)
		if (*up == b)
			return true;
	return false;
}

/* Whatever waits for somebody who waits in the story is part of it. */
static void take_upstream(struct story *s)
{
	for (bool more = true; more;) {
		more = false;
		nh_for(b, &s->job->blocks)
			if (!b->told && !b->roots.n && b->next && holds(s, b->next)) {
				*nh_push(s->job->a, &s->upstream) = b;
				take(s, b);
				more = true;
			}
	}
}

static struct nh_finding *begin(struct nh_job *job, const char *id, int confidence)
{
	struct nh_finding *f =
		nh_row_push(job->a, &nh_finding_type, (struct nh_vec *)&job->c->verdict.findings);

	f->id = id;
	f->confidence = confidence;
	return f;
}

/* culprits: the first is named, none where they are empty; they are no victims of themselves. */
static void end(struct story *s, const struct nh_ranks *culprits)
{
	struct nh_job *job = s->job;

	take_upstream(s);
	for (size_t i = s->upstream.n; i-- > 0;) /* the farthest first */
		nh_flight_tell_link(job, s->f, s->upstream.v[i]);
	nh_for(b, &s->own)
		nh_flight_tell_link(job, s->f, *b);
	if (culprits && culprits->n) {
		s->f->culprit = nh_new(job->a, struct nh_actor, 1);
		*s->f->culprit = nh_flight_actor(culprits->v[0]);
	}
	for (size_t i = 0; i < s->victims.n; i++)
		if (!culprits || !nh_ranks_has(culprits, s->victims.v[i]))
			*nh_push(job->a, &s->f->victims) = nh_flight_actor(s->victims.v[i]);
	nh_flight_tell_rest(job, s->f, s->own.v[0], culprits);
}

static bool same(const struct nh_ranks *a, const struct nh_ranks *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->v, b->v, a->n * sizeof(*a->v)));
}

/* One finding for every set of ranks (of one kind) that blocks something. */
static void tell_set(
	struct nh_job *job, struct nh_block *first, struct nh_ranks *set, struct nh_finding *f)
{
	struct story s = { .job = job, .f = f };
	size_t offset = (size_t)((char *)set - (char *)first);

	for (struct nh_block *b = first; b < job->blocks.v + job->blocks.n; b++) {
		const struct nh_ranks *other = (const struct nh_ranks *)((char *)b + offset);

		if (b != first && (b->told || b->differ != NH_SAME || !same(set, other)))
			continue;
		*nh_push(job->a, &s.own) = b;
		take(&s, b);
	}
	end(&s, set->n > first->waiters.n ? NULL : set);
}

static void tell_missing(struct nh_job *job, struct nh_block *b)
{
	struct nh_finding *f = begin(job, "rank-missing", NH_LIKELY);
	const struct nh_ranks *who = &b->roots;
	const char *what = nh_block_words(job->a, b), *names = nh_ranks_words(job->a, who);

	if (who->n > b->waiters.n) {
		f->title = nh_arena_printf(job->a,
			"%s %s in %s, which %s never scheduled: who is right, the dumps do not tell",
			nh_ranks_words(job->a, &b->waiters), b->waiters.n == 1 ? "waits" : "wait",
			what, names);
	} else {
		f->title = nh_arena_printf(job->a, "%s never scheduled %s%s, in which %s %s", names,
			b->p2p ? "what answers " : "", what, nh_ranks_words(job->a, &b->waiters),
			b->waiters.n == 1 ? "waits" : "wait");
	}
	nh_flight_tell_places(job, f, b, who);
	tell_set(job, b, &b->roots, f);
}

static void tell_differ(struct nh_job *job, struct nh_block *b)
{
	static const char *const what[] = { "", "different operations", "different sizes",
		"different types", "totals that cannot be" };
	struct nh_finding *f = begin(job, "collective-mismatch", NH_LIKELY);
	struct story s = { .job = job, .f = f };

	if (b->odd.n)
		f->title =
			nh_arena_printf(job->a, "%s ran something else at %ssequence %jd of %s: %s",
				nh_ranks_words(job->a, &b->odd), b->p2p ? "P2P " : "",
				(intmax_t)b->seq, nh_team_words(job->a, b->team), what[b->differ]);
	else if (b->differ == NH_DIFFER_TOTAL)
		f->title = nh_arena_printf(job->a,
			"the ranks do not expect what they send in all at sequence %jd of %s: it cannot "
			"complete; which rank is wrong, the totals do not tell",
			(intmax_t)b->seq, nh_team_words(job->a, b->team));
	else
		f->title = nh_arena_printf(job->a,
			"%s at %ssequence %jd of %s: no majority, so no rank is named",
			what[b->differ], b->p2p ? "P2P " : "", (intmax_t)b->seq,
			nh_team_words(job->a, b->team));
	nh_for(side, &b->sides)
		nh_tell_evidence(job->a, f, "%s", *side);
	*nh_push(job->a, &s.own) = b;
	take(&s, b);
	end(&s, &b->odd);
}

static void tell_unstarted(struct nh_job *job, struct nh_block *b)
{
	struct nh_finding *f = begin(job, "gpu-not-started", NH_LIKELY);

	f->title = nh_arena_printf(job->a, "%s scheduled %s, but the GPU never started it there",
		nh_ranks_words(job->a, &b->unstarted), nh_block_words(job->a, b));
	nh_tell_evidence(job->a, f,
		"start events were recorded (timing was on): the other ranks' entries say started");
	nh_flight_tell_places(job, f, b, &b->unstarted);
	tell_set(job, b, &b->unstarted, f);
}

static void tell_absent(struct nh_job *job, struct nh_block *b)
{
	struct nh_ranks *who = &b->by[NH_STAND_ABSENT];
	struct nh_finding *f = begin(job, "rank-missing",
		who->n < b->team->members.n - who->n ? NH_LIKELY : NH_POSSIBLE);

	f->title = nh_arena_printf(job->a, "%s left no dump, and %s %s in %s",
		nh_ranks_words(job->a, who), nh_ranks_words(job->a, &b->waiters),
		b->waiters.n == 1 ? "waits" : "wait", nh_block_words(job->a, b));
	nh_tell_evidence(job->a, f,
		"by the others' dumps the group has %zu members; no file was given of %s",
		b->team->members.n, nh_ranks_words(job->a, who));
	nh_tell_unknown(job->a, f,
		"whether it is dead or its file was not collected: its log and exit status tell");
	tell_set(job, b, who, f);
}

/* Everybody who can be judged is there: suspicion is all that is left. */
static void tell_unjudged(struct nh_job *job, struct nh_block *b)
{
	struct nh_finding *f = begin(job, "rank-missing", NH_POSSIBLE);
	struct nh_ranks *who = b->by[NH_STAND_DAMAGED].n ? &b->by[NH_STAND_DAMAGED]
			       : b->by[NH_STAND_STALE].n ? &b->by[NH_STAND_STALE]
							 : &b->by[NH_STAND_OFF];

	f->title = nh_arena_printf(job->a, "%s %s in %s; %s cannot be judged",
		nh_ranks_words(job->a, &b->waiters), b->waiters.n == 1 ? "waits" : "wait",
		nh_block_words(job->a, b), nh_ranks_words(job->a, who));
	nh_flight_tell_gaps(job, b);
	tell_set(job, b, who, f);
}

/* Every one of them waits for another: no beginning. */
static void tell_cycle(struct nh_job *job, struct nh_block *b)
{
	struct nh_finding *f = begin(job, "collective-mismatch", NH_LIKELY);
	struct story s = { .job = job, .f = f };

	f->title = nh_arena_printf(job->a,
		"ranks wait for each other in a circle: they entered %s and %s in different orders",
		nh_team_words(job->a, b->team), nh_team_words(job->a, b->next->team));
	for (struct nh_block *next = b; next && !next->told; next = next->next) {
		*nh_push(job->a, &s.own) = next;
		take(&s, next);
	}
	end(&s, NULL);
}

static void tell_waiting(struct nh_job *job, struct nh_block *b)
{
	struct nh_finding *f = begin(job, "collective-wait", b->retired ? NH_LIKELY : NH_POSSIBLE);
	struct story s = { .job = job, .f = f };

	f->title = nh_arena_printf(job->a, "%s %s in %s and every member is there",
		nh_ranks_words(job->a, &b->waiters), b->waiters.n == 1 ? "waits" : "wait",
		nh_block_words(job->a, b));
	if (b->retired)
		nh_tell_evidence(
			job->a, f, "a watchdog gave up on it: it is retired, not completed");
	else
		nh_tell_unknown(job->a, f,
			"whether it would have completed a moment later: nothing in the dumps says "
			"that time ran out");
	nh_tell_unknown(job->a, f,
		b->lost.n ? "what the ranks ran there: their rings have wrapped past it"
			  : "what holds it: the network, a GPU, or another stream before it");
	*nh_push(job->a, &s.own) = b;
	take(&s, b);
	end(&s, NULL);
}

static bool is_missing(const struct nh_block *b)
{
	return b->roots.n;
}

static bool is_differ(const struct nh_block *b)
{
	return b->differ != NH_SAME;
}

static bool is_unstarted(const struct nh_block *b)
{
	return b->unstarted.n && !b->next;
}

static bool is_absent(const struct nh_block *b)
{
	return b->by[NH_STAND_ABSENT].n && !b->next;
}

static bool is_unjudged(const struct nh_block *b)
{
	return !b->next &&
	       b->by[NH_STAND_DAMAGED].n + b->by[NH_STAND_STALE].n + b->by[NH_STAND_OFF].n;
}

static bool is_cycle(const struct nh_block *b)
{
	return b->next;
}

/* The kinds of cause, the surest first; each gets the blocks that no earlier one explains. */
static const struct {
	bool (*is)(const struct nh_block *b);
	void (*tell)(struct nh_job *job, struct nh_block *b);
} kinds[] = {
	{ is_differ, tell_differ },
	{ is_missing, tell_missing },
	{ is_unstarted, tell_unstarted },
	{ is_absent, tell_absent },
	{ is_unjudged, tell_unjudged },
	{ is_cycle, tell_cycle },
};

void nh_job_convict(struct nh_job *job)
{
	size_t before = job->c->verdict.findings.n;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		nh_for(b, &job->blocks)
			if (!b->told && kinds[i].is(b))
				kinds[i].tell(job, b);
	/* What is left has everybody there; it may well be queued behind what was told. */
	nh_for(b, &job->blocks)
		if (!b->told && job->c->verdict.findings.n == before)
			tell_waiting(job, b);
}
