#include "records/flight_job.h"

#include <string.h>

#define RUNS_SHOWN 8

bool nh_ranks_has(const struct nh_ranks *r, int64_t rank)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid] < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->n && r->v[lo] == rank;
}

void nh_ranks_add(struct nh_arena *a, struct nh_ranks *r, int64_t rank)
{
	size_t i = r->n;

	if (nh_ranks_has(r, rank))
		return;
	nh_push(a, r);
	for (; i && r->v[i - 1] > rank; i--)
		r->v[i] = r->v[i - 1];
	r->v[i] = rank;
}

const char *nh_ranks_words(struct nh_arena *a, const struct nh_ranks *r)
{
	const char *s = r->n == 1 ? "rank" : "ranks";
	size_t runs = 0;

	for (size_t i = 0, end; i < r->n; i = end) {
		for (end = i + 1; end < r->n && r->v[end] == r->v[end - 1] + 1; end++)
			;
		if (++runs > RUNS_SHOWN)
			return nh_arena_printf(a, "%s and %zu more", s, r->n - i);
		s = nh_arena_printf(a, "%s%s %jd", s, i ? "," : "", (intmax_t)r->v[i]);
		if (end > i + 1)
			s = nh_arena_printf(
				a, "%s%s%jd", s, end > i + 2 ? "-" : ", ", (intmax_t)r->v[end - 1]);
	}
	return s;
}

const char *nh_team_words(struct nh_arena *a, const struct nh_team *t)
{
	return t->desc && *t->desc && strcmp(t->desc, "undefined") != 0
		       ? nh_arena_printf(a, "group %s (%s)", t->name, t->desc)
		       : nh_arena_printf(a, "group %s", t->name);
}

const char *nh_op_words(struct nh_arena *a, const struct nh_collective *e)
{
	const char *sizes = e->in_sizes && *e->in_sizes ? e->in_sizes : e->out_sizes;
	const char *type = e->in_dtypes ? e->in_dtypes : e->out_dtypes;

	return nh_arena_printf(a, "%s%s%s%s%s", e->op, sizes && *sizes ? " of " : "",
		sizes ? sizes : "", type ? " " : "", type ? type : "");
}

const char *nh_block_words(struct nh_arena *a, const struct nh_block *b)
{
	return nh_arena_printf(a, "%s, %ssequence %jd in %s",
		b->op ? nh_op_words(a, b->op) : "an operation", b->p2p ? "P2P " : "",
		(intmax_t)b->seq, nh_team_words(a, b->team));
}
