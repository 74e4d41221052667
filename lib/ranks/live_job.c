/* Which processes are ranks of one job. */
#include "ranks/live_job.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "know/env.h"

struct nh_live_rank *nh_live_rank(const struct nh_live_job *job, int64_t rank)
{
	nh_for(r, &job->ranks)
		if (r->rank == rank)
			return r;
	return NULL;
}

bool nh_live_is_loopback(const char *address)
{
	return address && (nh_starts_with(address, "127.") || nh_streq(address, "localhost") ||
				  nh_streq(address, "::1"));
}

/* A loopback address means another store in every network namespace of every host. */
static const char *key_of(struct nh_arena *a, const struct nh_graph *g, const struct nh_process *p)
{
	static const char *const names[] = { "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE",
		"TORCHELASTIC_RUN_ID" };
	const char *key = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = nh_env_get(p, names[i]);

		key = nh_arena_printf(a, "%s%s\n", key, value ? value : "");
	}
	if (!nh_env_get(p, "MASTER_ADDR") || nh_live_is_loopback(nh_env_get(p, "MASTER_ADDR")))
		key = nh_arena_printf(a, "%s%s %jd", key, g->ix.c->host ? g->ix.c->host : "",
			(intmax_t)p->ns_net);
	return key;
}

/* A rank of the launcher's making is told from its own children, which inherit what it was given:
 * a wrapper's shell runs the program, and a program's children run for it. */
static bool is_above(const struct nh_graph *g, const struct nh_process *p, int64_t pid)
{
	for (size_t depth = 0; p && depth < 64; depth++) {
		if (p->ppid == pid)
			return true;
		p = nh_index_process(&g->ix, p->ppid);
	}
	return false;
}

/* Whether `a` is more likely the rank itself than `b`: it is in a collective, else it is the one
 * whose child the other is, unless it is no training program and the other is. */
static bool is_rather(const struct nh_live_rank *a, const struct nh_live_rank *b)
{
	bool waits_a = a->doing == NH_DOES_WAIT, waits_b = b->doing == NH_DOES_WAIT;

	/* The same process in a later case, or another job's rank: the first one stays. */
	if (a->g != b->g)
		return false;
	if (waits_a != waits_b)
		return waits_a;
	return is_above(a->g, b->p, a->p->pid);
}

static struct nh_live_job *job_of(
	struct nh_arena *a, struct nh_live_jobs *jobs, struct nh_verdict *v, const char *key)
{
	struct nh_live_job *job;

	nh_for(old, jobs)
		if (!strcmp(old->key, key))
			return old;
	job = nh_push(a, jobs);
	*job = (struct nh_live_job){ .a = a, .verdict = v, .key = key, .world = NH_UNKNOWN };
	return job;
}

static void take_process(struct nh_arena *a, struct nh_live_jobs *jobs, struct nh_verdict *v,
	const struct nh_graph *g, const struct nh_process *p)
{
	struct nh_live_rank seen = { .g = g, .p = p, .rank = nh_env_number(p, "RANK") };
	struct nh_live_rank *old;
	struct nh_live_job *job;

	if (seen.rank == NH_UNKNOWN || p->why == NH_WHY_ANCESTOR || p->kthread)
		return;
	nh_live_observe(&seen);
	job = job_of(a, jobs, v, key_of(a, g, p));
	job->world = nh_env_number(p, "WORLD_SIZE");
	old = nh_live_rank(job, seen.rank);
	if (!old)
		*nh_push(a, &job->ranks) = seen;
	else if (is_rather(&seen, old))
		*old = seen;
}

static int by_rank(const void *a, const void *b)
{
	const struct nh_live_rank *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void sum_up(struct nh_live_job *job)
{
	job->move = NH_MOVE_STILL;
	nh_for(r, &job->ranks) {
		nh_ranks_add(job->a, &job->by[r->doing], r->rank);
		if (r->doing == NH_DOES_WAIT && r->move > job->move)
			job->move = r->move;
	}
	/* A size that nobody's memory holds is no size. */
	for (int64_t i = 0; i < job->world && job->world <= 1 << 20; i++)
		if (!nh_live_rank(job, i))
			nh_ranks_add(job->a, &job->elsewhere, i);
}

void nh_live_build(struct nh_arena *a, struct nh_verdict *v, const struct nh_graph *g, size_t n,
	struct nh_live_jobs *ret)
{
	for (size_t i = 0; i < n; i++)
		nh_for(p, &g[i].ix.processes)
			take_process(a, ret, v, &g[i], *p);
	nh_for(job, ret) {
		for (size_t i = 0; i < n; i++)
			nh_live_find_dead(job, &g[i]);
		qsort(job->ranks.v, job->ranks.n, sizeof(*job->ranks.v), by_rank);
		for (size_t i = 0; i < n; i++) {
			bool here = false;

			nh_for(r, &job->ranks)
				here |= r->g == &g[i];
			job->hosts += here;
		}
		sum_up(job);
	}
}
