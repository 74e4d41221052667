#include "records/flight_tell.h"

#include "rules/rule.h"
#include "base/str.h"

/* Culprits whose place in the program is told one by one. */
enum { PLACES_SHOWN = 4 };

struct nh_actor nh_flight_actor(int64_t rank)
{
	return (struct nh_actor){ .pid = NH_UNKNOWN,
		.start = NH_UNKNOWN,
		.tid = NH_UNKNOWN,
		.rank = rank,
		.fd = NH_UNKNOWN };
}

/* Whom a block's waiters wait for, and what shows it. */
static const struct nh_ranks *awaited(
	struct nh_arena *a, const struct nh_block *b, const char **fact)
{
	static const struct {
		enum nh_stand stand;
		const char *fact;
	} others[] = {
		{ NH_STAND_ABSENT, "no dump was given" },
		{ NH_STAND_DAMAGED, "the dump cannot be read" },
		{ NH_STAND_STALE, "the dump is of another time" },
		{ NH_STAND_OFF, "the dump does not tell what was done here" },
	};

	*fact = "";
	if (b->by[NH_STAND_BEHIND].n) {
		const struct nh_ranks *r = &b->by[NH_STAND_BEHIND];
		const struct nh_member *m = nh_team_member(b->team, r->v[0]);

		*fact = b->p2p ? "nothing that answers was scheduled there"
			: m->enqueued >= 0
				? nh_arena_printf(a, "the last that rank %jd scheduled here is %jd",
					  (intmax_t)m->rank, (intmax_t)m->enqueued)
				: nh_arena_printf(a, "rank %jd has scheduled nothing here",
					  (intmax_t)m->rank);
		return r;
	}
	if (b->differ != NH_SAME) {
		*fact = "another operation has this number there";
		return &b->odd;
	}
	if (b->unstarted.n) {
		*fact = "scheduled there, but not started";
		return &b->unstarted;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (b->by[others[i].stand].n) {
			*fact = others[i].fact;
			return &b->by[others[i].stand];
		}
	return NULL;
}

void nh_flight_tell_link(struct nh_job *job, struct nh_finding *f, const struct nh_block *b)
{
	struct nh_arena *a = job->a;
	const char *fact;
	const struct nh_ranks *to = awaited(a, b, &fact);
	struct nh_ranks waiters = { 0 };

	for (size_t i = 0; i < b->waiters.n; i++)
		if (!to || !nh_ranks_has(to, b->waiters.v[i]))
			nh_ranks_add(a, &waiters, b->waiters.v[i]);
	if (!to || !to->n || !waiters.n)
		return;
	*nh_push(a, &f->chain) = (struct nh_link){ nh_ranks_words(a, &waiters),
		nh_ranks_words(a, to), waiters.n == 1 ? "waits for" : "wait for",
		nh_arena_printf(a, "%s; %s", nh_block_words(a, b), fact), false };
}

static void tell_place(struct nh_job *job, struct nh_finding *f, int64_t rank)
{
	const struct nh_collective *last = nh_job_last(job, rank);

	if (last)
		nh_tell_evidence(job->a, f,
			"rank %jd got as far as %s, %ssequence %jd of group %s%s%s", (intmax_t)rank,
			nh_op_words(job->a, last), last->p2p ? "P2P " : "",
			(intmax_t)(last->p2p ? last->p2p_seq : last->seq), last->group,
			last->frame ? ", from " : "", last->frame ? last->frame : "");
}

void nh_flight_tell_places(struct nh_job *job, struct nh_finding *f, const struct nh_block *b,
	const struct nh_ranks *culprits)
{
	if (b->op && b->op->frame)
		nh_tell_evidence(
			job->a, f, "rank %jd waits in %s", (intmax_t)b->op->rank, b->op->frame);
	for (size_t i = 0; i < culprits->n && i < PLACES_SHOWN; i++)
		tell_place(job, f, culprits->v[i]);
}

static void add_gap(struct nh_job *job, int64_t rank, const char *why, const char *grant)
{
	const char *subject = nh_arena_printf(job->a, "rank %jd", (intmax_t)rank);
	struct nh_gap *gap;

	nh_for(old, &job->c->gaps)
		if (nh_streq(old->subject, subject) &&
			nh_streq(old->what, "flight-recorder dump")) {
			old->needed = true;
			return;
		}
	gap = nh_push(job->a, &job->c->gaps);
	gap->subject = subject;
	gap->what = "flight-recorder dump";
	gap->why = why;
	gap->grant = grant;
	gap->needed = true;
}

void nh_flight_tell_gaps(struct nh_job *job, const struct nh_block *b)
{
	nh_for(m, &b->team->members) {
		if (m->stand == NH_STAND_STALE || m->stand == NH_STAND_DAMAGED)
			add_gap(job, m->rank, m->why, NULL);
		else if (m->stand == NH_STAND_OFF)
			add_gap(job, m->rank, "no entries in it: the recorder was off",
				"export TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_TRACE_BUFFER_SIZE=2000");
	}
}

static void tell_unknowns(struct nh_job *job, struct nh_finding *f, const struct nh_block *b)
{
	static const struct {
		enum nh_stand stand;
		const char *what;
	} kinds[] = {
		{ NH_STAND_ABSENT, "left no dump" },
		{ NH_STAND_DAMAGED, "left a dump that cannot be read" },
		{ NH_STAND_STALE, "left a dump of another time" },
		{ NH_STAND_OFF, "left a dump without entries: the recorder was off" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (b->by[kinds[i].stand].n)
			nh_tell_unknown(job->a, f, "%s %s",
				nh_ranks_words(job->a, &b->by[kinds[i].stand]), kinds[i].what);
	nh_for(m, &b->team->members)
		if (m->stand == NH_STAND_STALE)
			nh_tell_unknown(job->a, f, "rank %jd: %s", (intmax_t)m->rank, m->why);
	if (b->lost.n)
		nh_tell_unknown(job->a, f,
			"what %s ran at %jd: scheduled, but the ring has wrapped past it",
			nh_ranks_words(job->a, &b->lost), (intmax_t)b->seq);
	nh_tell_unknown(job->a, f,
		"one set of dumps is one sample: if they were taken while the job still moved, this "
		"is a moment and no hang");
}

static bool timing_was_on(const struct nh_block *b)
{
	bool on = false;

	nh_for(m, &b->team->members)
		on |= m->row && m->row->timing;
	return on;
}

void nh_flight_tell_rest(struct nh_job *job, struct nh_finding *f, const struct nh_block *b,
	const struct nh_ranks *culprits)
{
	struct nh_arena *a = job->a;
	const char *who = culprits && culprits->n ? nh_ranks_words(a, culprits) : NULL;

	tell_unknowns(job, f, b);
	*nh_push(a, &f->refutes) =
		nh_arena_printf(a, "a later dump in which sequence %jd of %s is completed",
			(intmax_t)b->seq, nh_team_words(a, b->team));
	if (who)
		nh_tell_remedy(a, f,
			nh_arena_printf(a,
				"look at %s on its own host while it lives: where does it "
				"stand, and what does it wait for outside collectives?",
				who),
			"ncclhang");
	if (who)
		nh_tell_remedy(a, f,
			nh_arena_printf(a,
				"if it is gone, read its log to the end: the first error of "
				"%s came before every timeout",
				who),
			NULL);
	if (!timing_was_on(b))
		nh_tell_remedy(a, f,
			"next time record starts too, so that a GPU that never began can be told. Price: "
			"an event query per collective in the watchdog",
			"export TORCH_NCCL_ENABLE_TIMING=1");
	if (b->lost.n)
		nh_tell_remedy(a, f,
			"give the ring more room. Price: memory, some hundred bytes an entry",
			"export TORCH_FR_BUFFER_SIZE=20000");
	nh_tell_remedy(a, f,
		"the rank that reports the timeout is the one that waited; raising the timeout buys a "
		"longer hang",
		NULL);
}
