/* One host's ranks, or those of a job over several hosts' cases. */
#include "ranks/live_rules.h"
#include "base/str.h"

void nh_live_analyse(struct nh_arena *a, struct nh_verdict *v, const struct nh_graph *g)
{
	struct nh_live_jobs jobs = { 0 };

	nh_live_build(a, v, g, 1, &jobs);
	nh_for(job, &jobs)
		nh_live_convict(job);
}

static bool is_of(const struct nh_live_job *job, const struct nh_finding *f)
{
	nh_for(victim, &f->victims)
		nh_for(r, &job->ranks)
			if (r->p && victim->pid == r->p->pid &&
				nh_streq(victim->host, r->g->ix.c->host))
				return true;
	return false;
}

static void drop_partial(const struct nh_live_job *job, struct nh_verdict *v)
{
	size_t kept = 0;

	nh_for(f, &v->findings)
		if (!f->of_ranks || !is_of(job, f))
			v->findings.v[kept++] = *f;
	v->findings.n = kept;
}

static int status_of(const struct nh_verdict *v)
{
	nh_for(f, &v->findings)
		if (f->of_ranks && f->confidence >= NH_LIKELY)
			return NH_HANG;
	return v->findings.n ? NH_INCONCLUSIVE : 0;
}

void nh_live_merge(struct nh_arena *a, struct nh_verdict *v, struct nh_case *const *cases, size_t n)
{
	struct nh_graph *g = nh_new(a, struct nh_graph, n + 1);
	struct nh_live_jobs jobs = { 0 };
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (cases[i]->samples.n)
			nh_graph_build(a, cases[i],
				cases[i]->samples.v[cases[i]->samples.n - 1].sample, &g[m++]);
	nh_live_build(a, v, g, m, &jobs);
	nh_for(job, &jobs) {
		if (job->hosts < 2)
			continue;
		drop_partial(job, v);
		nh_live_convict(job);
	}
	if (status_of(v) > v->status)
		v->status = status_of(v);
}
