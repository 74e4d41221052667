/*
 * dead-peer: a rank of this host is a zombie, or no process is it, while the others wait.  A zombie
 * has no environment any more: which rank it was is told by elimination.
 */
#include "ranks/live_rules.h"
#include "base/str.h"
#include "know/env.h"

/* The process that started most of this host's ranks, and how many. */
static int64_t parent_of(const struct nh_live_job *job, const struct nh_graph *g, size_t *most)
{
	int64_t best = NH_UNKNOWN;

	*most = 0;
	nh_for(r, &job->ranks) {
		size_t n = 0;

		nh_for(other, &job->ranks)
			n += r->g == g && other->g == g && other->p && r->p &&
			     other->p->ppid == r->p->ppid;
		if (n > *most) {
			*most = n;
			best = r->p->ppid;
		}
	}
	return best;
}

static bool is_zombie(const struct nh_process *p)
{
	return nh_streq(p->state, "Z") && p->nthreads <= 1;
}

static bool like_a_rank(const struct nh_live_job *job, const struct nh_process *p)
{
	nh_for(r, &job->ranks)
		if (r->p && nh_streq(r->p->comm, p->comm))
			return true;
	return false;
}

/* A sibling whose environment could not be read may be the rank that is missed. */
static bool has_unknown(const struct nh_live_job *job, const struct nh_graph *g, int64_t parent)
{
	nh_for(p, &g->ix.processes)
		if ((*p)->ppid == parent && !is_zombie(*p) && like_a_rank(job, *p) &&
			!nh_env_get(*p, "RANK"))
			return true;
	return false;
}

/* What a dead rank forked bears its number, but another parent's. */
static const struct nh_process *drop_orphans(
	struct nh_live_job *job, const struct nh_graph *g, int64_t parent)
{
	const struct nh_process *orphan = NULL;
	size_t kept = 0;

	nh_for(r, &job->ranks) {
		if (r->g == g && r->p && r->p->ppid != parent && r->doing != NH_DOES_WAIT)
			orphan = r->p;
		else
			job->ranks.v[kept++] = *r;
	}
	job->ranks.n = kept;
	return orphan;
}

/* The ranks that belong on this host, by what any of them was told. */
static void expect(struct nh_live_job *job, const struct nh_graph *g, struct nh_ranks *ret)
{
	nh_for(r, &job->ranks) {
		int64_t local = nh_env_number(r->p, "LOCAL_RANK");
		int64_t size = nh_env_number(r->p, "LOCAL_WORLD_SIZE"), first = r->rank - local;

		if (r->g != g)
			continue;
		if (size == NH_UNKNOWN && nh_live_is_loopback(nh_env_get(r->p, "MASTER_ADDR"))) {
			size = job->world;
			first = 0;
		} else if (local == NH_UNKNOWN || size == NH_UNKNOWN) {
			continue;
		}
		for (int64_t i = 0; i < size && size <= 1 << 10; i++)
			if (!nh_live_rank(job, first + i))
				nh_ranks_add(job->a, ret, first + i);
		return;
	}
}

/* Whether a process that is not in the case is not on the host either. */
static bool siblings_seen(const struct nh_graph *g, int64_t parent)
{
	const struct nh_process *p = nh_index_process(&g->ix, parent);

	if (!g->ix.c->asked.n)
		return g->ix.c->unexamined <= 0;
	return p && p->why != NH_WHY_ANCESTOR;
}

void nh_live_find_dead(struct nh_live_job *job, const struct nh_graph *g)
{
	size_t siblings;
	int64_t parent = parent_of(job, g, &siblings);
	NH_VEC(const struct nh_process *) zombies = { 0 };
	const struct nh_process *orphan = NULL;
	struct nh_ranks missing = { 0 };

	if (parent == NH_UNKNOWN || !siblings_seen(g, parent))
		return;
	nh_for(p, &g->ix.processes)
		if ((*p)->ppid == parent && is_zombie(*p) && like_a_rank(job, *p))
			*nh_push(job->a, &zombies) = *p;
	if (zombies.n && siblings > 1)
		orphan = drop_orphans(job, g, parent);
	expect(job, g, &missing);
	if (zombies.n != missing.n && has_unknown(job, g, parent))
		return;
	for (size_t i = 0; i < missing.n; i++) {
		struct nh_live_rank *r = nh_push(job->a, &job->ranks);

		*r = (struct nh_live_rank){
			.g = g, .rank = missing.v[i], .doing = NH_DOES_MISSING
		};
		if (zombies.n != missing.n)
			continue;
		/* Launchers start ranks in order. */
		r->p = zombies.v[i];
		r->doing = NH_DOES_GONE;
		r->guessed = true;
		if (orphan && nh_env_number(orphan, "RANK") == r->rank)
			r->orphan = orphan;
	}
}

static void tell_one(struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r)
{
	struct nh_arena *a = job->a;

	if (!r->p)
		nh_tell_evidence(a, f,
			"rank %jd belongs on this host by the environment of the others, and no process "
			"there is it",
			(intmax_t)r->rank);
	else
		nh_tell_evidence(a, f, "%s, started by the same parent, has ended (state Z)",
			nh_name_process(a, r->p));
	if (r->orphan)
		nh_tell_evidence(a, f,
			"%s bears its number, but its parent is gone: of what it keeps open for the dead "
			"rank, the others see no end",
			nh_name_process(a, r->orphan));
}

void nh_live_rule_dead(struct nh_live_job *job)
{
	struct nh_arena *a = job->a;
	struct nh_ranks dead = { 0 };
	const struct nh_live_rank *first;
	struct nh_finding *f;
	bool guessed = false;

	for (size_t i = 0; i < job->ranks.n; i++)
		if (job->ranks.v[i].doing == NH_DOES_GONE ||
			job->ranks.v[i].doing == NH_DOES_MISSING)
			nh_ranks_add(a, &dead, job->ranks.v[i].rank);
	if (!dead.n)
		return;
	first = nh_live_rank(job, dead.v[0]);
	f = nh_live_begin(job, "dead-peer",
		job->move == NH_MOVE_ONCE && !first->p ? NH_POSSIBLE : NH_LIKELY, first);
	f->title = nh_arena_printf(a, "%s %s, and %s %s for it in %s", nh_ranks_words(a, &dead),
		first->p ? nh_live_verb(&dead, "has ended", "have ended")
			 : nh_live_verb(&dead, "is not there", "are not there"),
		nh_ranks_words(a, &job->by[NH_DOES_WAIT]),
		nh_live_verb(&job->by[NH_DOES_WAIT], "waits", "wait"), nh_live_op_words(job));
	nh_live_tell_link(job, f, &job->by[NH_DOES_WAIT], &dead,
		nh_arena_printf(a, "in %s; the process has ended", nh_live_op_words(job)));
	for (size_t i = 0; i < dead.n; i++) {
		const struct nh_live_rank *r = nh_live_rank(job, dead.v[i]);

		tell_one(job, f, r);
		guessed |= r->guessed;
	}
	nh_live_tell_places(job, f, &job->by[NH_DOES_WAIT]);
	if (guessed)
		nh_tell_unknown(a, f,
			"which rank the zombie was: the kernel keeps no environment of it; %s by "
			"elimination",
			nh_ranks_words(a, &dead));
	if (!first->p)
		nh_tell_unknown(a, f, "whether it was ever started: the launcher's log tells");
	*nh_push(a, &f->refutes) = "a process of that rank is found, here or elsewhere";
	nh_live_tell_rest(job, f, first);
	nh_tell_remedy(a, f,
		"see why it ended: the launcher's log, and the kernel's for an out-of-memory kill",
		"dmesg -T | grep -i -e 'out of memory' -e 'killed process'");
}
