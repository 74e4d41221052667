#include "records/flight_job.h"

#include <stdio.h>
#include <string.h>
#include "base/str.h"

enum { UNEVEN_SHOWN = 4 };

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

/* Ranks that have the same at the frontier; one member stands for them. */
struct side {
	const struct nh_member *one;
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

static enum nh_differ ops_differ(const struct nh_collective *a, const struct nh_collective *b)
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

static bool is_whole(const struct nh_member *m)
{
	return m->nbatch < NH_KEPT_BATCH &&
	       (m->nbatch == 1 || nh_streq(m->batch[m->nbatch - 1]->op, "coalesced"));
}

/* Only that there were some: formats before 2.7, or a ring that has wrapped past them. */
static bool is_bare(const struct nh_member *m)
{
	return m->nbatch == 1 && nh_streq(m->at->op, "coalesced");
}

/* Coalesced operations are compared one by one; *at: the first that differs. */
static enum nh_differ differ(const struct nh_member *a, const struct nh_member *b, size_t *at)
{
	enum nh_differ d;

	*at = 0;
	if ((is_bare(a) && b->nbatch > 1) || (is_bare(b) && a->nbatch > 1))
		return NH_SAME;
	for (*at = 0; *at < a->nbatch && *at < b->nbatch; ++*at) {
		d = ops_differ(a->batch[*at], b->batch[*at]);
		if (d != NH_SAME)
			return d;
	}
	return a->nbatch != b->nbatch && is_whole(a) && is_whole(b) ? NH_DIFFER_OP : NH_SAME;
}

static struct side *side_of(struct nh_arena *a, struct sides *all, const struct nh_member *m)
{
	struct side *s;
	size_t at;

	nh_for(old, all)
		if (differ(old->one, m, &at) == NH_SAME)
			return old;
	s = nh_push(a, all);
	s->one = m;
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

static void tell_side(struct nh_job *job, struct nh_block *b, const struct side *s, size_t at)
{
	const struct nh_member *m = s->one;
	const struct nh_collective *e = at < m->nbatch ? m->batch[at] : NULL;
	const char *place = m->nbatch < 2 && !at
				    ? ""
				    : nh_arena_printf(job->a, ", number %zu of %zu coalesced",
					      at + 1, m->nbatch);

	if (e)
		*nh_push(job->a, &b->sides) = nh_arena_printf(job->a, "%s: %s%s%s%s",
			nh_ranks_words(job->a, &s->ranks), nh_op_words(job->a, e), place,
			e->frame ? " from " : "", e->frame ? e->frame : "");
	else
		*nh_push(job->a, &b->sides) =
			nh_arena_printf(job->a, "%s: no more than %zu coalesced",
				nh_ranks_words(job->a, &s->ranks), m->nbatch);
}

/* Format versions before 2.4 do not tell all sizes of an all_to_all. */
static bool tells_sizes(const struct nh_member *m)
{
	int major, minor;

	return m->row->version && sscanf(m->row->version, "%d.%d", &major, &minor) == 2 &&
	       (major > 2 || (major == 2 && minor >= 4));
}

/* Each pair has its own size, but what all send is what all receive.  Which rank is wrong, the
 * totals do not tell. */
static void compare_totals(struct nh_job *job, struct nh_block *b, size_t at)
{
	int64_t in = 0, out = 0;

	nh_for(m, &b->team->members) {
		const struct nh_collective *e = at < m->nbatch ? m->batch[at] : NULL;

		if (!e || m->stand == NH_STAND_STALE || !tells_sizes(m) || e->in_numel < 0 ||
			e->out_numel < 0 || __builtin_add_overflow(in, e->in_numel, &in) ||
			__builtin_add_overflow(out, e->out_numel, &out))
			return;
	}
	if (in == out)
		return;
	b->differ = NH_DIFFER_TOTAL;
	*nh_push(job->a, &b->sides) =
		nh_arena_printf(job->a, "%s: all ranks together send %jd elements and expect %jd",
			nh_op_words(job->a, b->op), (intmax_t)in, (intmax_t)out);
	nh_for(m, &b->team->members)
		if (m->batch[at]->in_numel != m->batch[at]->out_numel && b->sides.n <= UNEVEN_SHOWN)
			*nh_push(job->a, &b->sides) =
				nh_arena_printf(job->a, "rank %jd sends %jd and expects %jd",
					(intmax_t)m->rank, (intmax_t)m->batch[at]->in_numel,
					(intmax_t)m->batch[at]->out_numel);
}

static bool is_all_to_all(const struct nh_collective *e)
{
	return strstr(e->op, "all_to_all") || strstr(e->op, "alltoall");
}

void nh_job_compare(struct nh_job *job, struct nh_block *b)
{
	size_t first = SIZE_MAX, at;
	struct sides all = { 0 };

	nh_for(m, &b->team->members)
		if (m->at && m->stand != NH_STAND_STALE)
			nh_ranks_add(job->a, &side_of(job->a, &all, m)->ranks, m->rank);
	for (size_t i = 0; all.n == 1 && b->op && i < all.v[0].one->nbatch; i++)
		if (b->differ == NH_SAME && is_all_to_all(all.v[0].one->batch[i]))
			compare_totals(job, b, i);
	if (all.n < 2)
		return;
	for (size_t i = 1; i < all.n; i++) {
		enum nh_differ d = differ(all.v[0].one, all.v[i].one, &at);

		b->differ = b->differ == NH_SAME || d < b->differ ? d : b->differ;
		first = at < first ? at : first;
	}
	find_odd(job, b, &all);
	nh_for(s, &all)
		tell_side(job, b, s, first);
}
