#include "records/flight_job.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"

#define LESS(a, b) (((a) > (b)) - ((a) < (b)))

static int text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_dump(const void *a, const void *b)
{
	const struct nh_rank_group *x = *(const struct nh_rank_group *const *)a;
	const struct nh_rank_group *y = *(const struct nh_rank_group *const *)b;
	int r = LESS(x->rank, y->rank);

	return r ? r : text(x->source, y->source);
}

static int by_place(const void *a, const void *b)
{
	const struct nh_collective *x = *(const struct nh_collective *const *)a;
	const struct nh_collective *y = *(const struct nh_collective *const *)b;
	int r = LESS(x->rank, y->rank);

	r = r ? r : text(x->group, y->group);
	return r ? r : LESS(x->record, y->record);
}

/* The latest time in rows [from, to), all of one dump. */
static int64_t newest(
	const struct nh_rank_group *const *from, const struct nh_rank_group *const *to)
{
	int64_t ns = NH_UNKNOWN;

	for (; from < to; from++)
		ns = (*from)->newest_ns > ns ? (*from)->newest_ns : ns;
	return ns;
}

/* Two dumps of one rank: a readable one, then the later one; JSON has no stacks. */
static bool better(const struct nh_rank_group *const *a, size_t na,
	const struct nh_rank_group *const *b, size_t nb)
{
	int64_t x = newest(a, a + na), y = newest(b, b + nb);

	if (!(*a)->damaged != !(*b)->damaged)
		return !(*a)->damaged;
	return x != y ? x > y : nh_ends_with((*b)->source, ".json");
}

/* Of each rank the rows of its best dump. */
static void choose_dumps(struct nh_job *job)
{
	size_t n = job->c->rank_groups.n, best = 0, nbest = 0;
	const struct nh_rank_group **all = nh_new(job->a, const struct nh_rank_group *, n + 1);

	for (size_t i = 0; i < n; i++)
		all[i] = &job->c->rank_groups.v[i];
	qsort(all, n, sizeof(*all), by_dump);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && !by_dump(&all[i], &all[end]); end++)
			;
		if (!nbest || all[i]->rank != all[best]->rank ||
			better(all + i, end - i, all + best, nbest)) {
			best = i;
			nbest = end - i;
		}
		if (end < n && all[end]->rank == all[best]->rank)
			continue;
		for (size_t j = best; j < best + nbest; j++)
			*nh_push(job->a, &job->rows) = all[j];
		nbest = 0;
	}
}

const struct nh_rank_group *nh_job_dump(const struct nh_job *job, int64_t rank)
{
	size_t lo = 0, hi = job->rows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (job->rows.v[mid]->rank < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < job->rows.n && job->rows.v[lo]->rank == rank ? job->rows.v[lo] : NULL;
}

static void choose_ops(struct nh_job *job)
{
	nh_for(e, &job->c->collectives) {
		const struct nh_rank_group *dump = nh_job_dump(job, e->rank);

		if (dump && nh_streq(dump->source, e->source) && e->group && e->op)
			*nh_push(job->a, &job->ops) = e;
	}
	if (job->ops.n)
		qsort(job->ops.v, job->ops.n, sizeof(*job->ops.v), by_place);
}

static bool lists(const struct nh_rank_group *row, const struct nh_team *t)
{
	return t->norder == row->members.n &&
	       !memcmp(t->order, row->members.v, t->norder * sizeof(*t->order));
}

/* Names recur in disjoint groups, so the members count too where they are told. */
static bool belongs(const struct nh_rank_group *row, const struct nh_team *t)
{
	bool told = row->members.n && !row->members_guessed;

	if (!nh_streq(row->group, t->name))
		return false;
	if (t->guessed)
		return true;
	if (told)
		return lists(row, t);
	for (size_t i = 0; i < t->norder; i++)
		if (t->order[i] == row->rank)
			return true;
	return false;
}

static struct nh_team *team_of(struct nh_job *job, const struct nh_rank_group *row)
{
	struct nh_team *t;

	nh_for(old, &job->teams)
		if (belongs(row, old))
			return old;
	t = nh_push(job->a, &job->teams);
	t->name = row->group;
	t->guessed = true;
	t->frontier = NH_UNKNOWN;
	return t;
}

static int by_rank(const void *a, const void *b)
{
	return LESS(((const struct nh_member *)a)->rank, ((const struct nh_member *)b)->rank);
}

struct nh_member *nh_team_member(const struct nh_team *t, int64_t rank)
{
	const struct nh_member key = { .rank = rank };

	return t->members.n ? bsearch(&key, t->members.v, t->members.n, sizeof(key), by_rank)
			    : NULL;
}

static void add_members(struct nh_job *job, struct nh_team *t, struct nh_ranks *all)
{
	for (size_t i = 0; i < t->norder; i++)
		nh_ranks_add(job->a, all, t->order[i]);
	for (size_t i = 0; i < all->n; i++) {
		struct nh_member *m = nh_push(job->a, &t->members);

		m->rank = all->v[i];
		m->enqueued = m->wait = NH_UNKNOWN;
	}
}

static void build_teams(struct nh_job *job)
{
	struct nh_ranks *all;
	size_t i = 0;

	/* Rows that tell their members first, so that the others find them. */
	for (int told = 1; told >= 0; told--)
		nh_for(row, &job->rows) {
			struct nh_team *t;

			if (!(*row)->group ||
				((*row)->members.n && !(*row)->members_guessed) != told)
				continue;
			t = team_of(job, *row);
			t->desc = t->desc ? t->desc : (*row)->desc;
			if (told) {
				t->guessed = false;
				t->order = (*row)->members.v;
				t->norder = (*row)->members.n;
			}
		}
	all = nh_new(job->a, struct nh_ranks, job->teams.n + 1);
	nh_for(row, &job->rows) {
		struct nh_team *t = (*row)->group ? team_of(job, *row) : NULL;

		if (!t)
			continue;
		nh_ranks_add(job->a, &all[t - job->teams.v], (*row)->rank);
		for (size_t j = 0; t->guessed && j < (*row)->members.n; j++)
			nh_ranks_add(job->a, &all[t - job->teams.v], (*row)->members.v[j]);
	}
	nh_for(t, &job->teams)
		add_members(job, t, &all[i++]);
}

static void attach(struct nh_job *job)
{
	nh_for(row, &job->rows) {
		struct nh_member *m =
			(*row)->group ? nh_team_member(team_of(job, *row), (*row)->rank) : NULL;

		if (m)
			m->row = *row;
	}
	for (size_t i = 0, end; i < job->ops.n; i = end) {
		const struct nh_collective *first = job->ops.v[i];

		for (end = i; end < job->ops.n && job->ops.v[end]->rank == first->rank &&
			      nh_streq(job->ops.v[end]->group, first->group);
			end++)
			;
		nh_for(t, &job->teams) {
			struct nh_member *m = nh_streq(t->name, first->group)
						      ? nh_team_member(t, first->rank)
						      : NULL;

			if (m && m->row) {
				m->entry = job->ops.v + i;
				m->n = end - i;
			}
		}
	}
}

void nh_job_build(struct nh_case *c, struct nh_job *ret)
{
	*ret = (struct nh_job){ .a = c->arena, .c = c };
	choose_dumps(ret);
	choose_ops(ret);
	build_teams(ret);
	attach(ret);
}
