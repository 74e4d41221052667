#include "analyse/flight_job.h"

#include <string.h>
#include "base/str.h"

/* What must agree between ranks; the first row whose name is in the operation's counts.  Sizes are
 * compared as elements: a shape alone hangs nothing. */
static const struct {
	const char *name;
	bool in, out, dtype;
} agree[] = {
	{ "alltoall", false, false, true }, /* each pair has its own size */
	{ "all_to_all", false, false, true },
	{ "barrier", false, false, false },
	{ "coalesced", false, false, false },
	{ "all_gather", true, true, true },
	{ "allgather", true, true, true },
	{ "all_reduce", true, true, true },
	{ "allreduce", true, true, true },
	{ "reduce_scatter", true, true, true },
	{ "broadcast", true, true, true },
	{ "gather", true, false, true },  /* only the root has an output */
	{ "scatter", false, true, true }, /* only the root has an input */
	{ "reduce", true, false, true },
};

/* Ranks that have the same at the frontier. */
struct side {
	const struct nh_collective *op;
	struct nh_ranks ranks;
};
struct sides {
	struct side *v;
	size_t n, cap;
};

static bool sizes_differ(int64_t a, int64_t b)
{
	return a != b && a != NH_UNKNOWN && b != NH_UNKNOWN;
}

static bool types_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static enum nh_differ differ(const struct nh_collective *a, const struct nh_collective *b)
{
	if (strcmp(a->op, b->op) != 0)
		return NH_DIFFER_OP;
	for (size_t i = 0; i < sizeof(agree) / sizeof(*agree); i++) {
		if (!strstr(a->op, agree[i].name))
			continue;
		if ((agree[i].in && sizes_differ(a->in_numel, b->in_numel)) ||
			(agree[i].out && sizes_differ(a->out_numel, b->out_numel)))
			return NH_DIFFER_SIZE;
		if (agree[i].dtype && (types_differ(a->in_dtypes, b->in_dtypes) ||
					      types_differ(a->out_dtypes, b->out_dtypes)))
			return NH_DIFFER_DTYPE;
		return NH_SAME;
	}
	return NH_SAME;
}

static struct side *side_of(struct nh_arena *a, struct sides *all, const struct nh_collective *e)
{
	struct side *s;

	nh_for(old, all)
		if (differ(old->op, e) == NH_SAME)
			return old;
	s = nh_push(a, all);
	s->op = e;
	return s;
}

/* Votes of members that do not say what they ran go to the other side: a majority must hold
 * whatever they did. */
static void find_odd(struct nh_job *job, struct nh_block *b, const struct sides *all)
{
	const struct side *most = all->v;
	size_t others = b->lost.n + b->by[NH_STAND_ABSENT].n + b->by[NH_STAND_DAMAGED].n +
			b->by[NH_STAND_STALE].n + b->by[NH_STAND_OFF].n;

	nh_for(s, all)
		most = s->ranks.n > most->ranks.n ? s : most;
	nh_for(s, all)
		others += s == most ? 0 : s->ranks.n;
	nh_for(s, all)
		for (size_t i = 0; s != most && most->ranks.n > others && i < s->ranks.n; i++)
			nh_ranks_add(job->a, &b->odd, s->ranks.v[i]);
}

void nh_job_compare(struct nh_job *job, struct nh_block *b)
{
	struct sides all = { 0 };

	nh_for(m, &b->team->members)
		if (m->at && m->stand != NH_STAND_STALE)
			nh_ranks_add(job->a, &side_of(job->a, &all, m->at)->ranks, m->rank);
	if (all.n < 2)
		return;
	for (size_t i = 1; i < all.n; i++) {
		enum nh_differ d = differ(all.v[0].op, all.v[i].op);

		b->differ = b->differ == NH_SAME || d < b->differ ? d : b->differ;
	}
	find_odd(job, b, &all);
	nh_for(s, &all)
		*nh_push(job->a, &b->sides) = nh_arena_printf(job->a, "%s: %s%s%s",
			nh_ranks_words(job->a, &s->ranks), nh_op_words(job->a, s->op),
			s->op->frame ? " from " : "", s->op->frame ? s->op->frame : "");
}
