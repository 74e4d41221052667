#include <string.h>
#include "analyse/analyse.h"
#include "analyse/join.h"
#include "rules/kernel_log.h"
#include "ranks/live_job.h"
#include "analyse/rank.h"
#include "base/set.h"

/* What one host ruled out is ruled out of the whole only if no host convicts it. */
static void merge_ruled_out(struct nh_case *const *cases, size_t n, struct nh_case *ret)
{
	for (size_t i = 0; i < n; i++)
		nh_for(r, &cases[i]->verdict.ruled_out) {
			bool known = false;

			nh_for(f, &ret->verdict.findings)
				known |= !strcmp(f->id, r->id);
			nh_for(old, &ret->verdict.ruled_out)
				known |= !strcmp(old->id, r->id);
			if (!known)
				*nh_push(ret->arena, &ret->verdict.ruled_out) = *r;
		}
}

static void merge_header(struct nh_case *const *cases, size_t n, struct nh_case *ret)
{
	struct nh_set hosts = { 0 };
	uint64_t id = n;

	for (size_t i = 0; i < n; i++) {
		const struct nh_case *c = cases[i];
		const char *host = c->host ? c->host : "?";

		id = nh_hash(c->id, strlen(c->id), id);
		if (nh_set_add(ret->arena, &hosts, nh_hash(host, strlen(host), 0)))
			ret->host = ret->host
					    ? nh_arena_printf(ret->arena, "%s,%s", ret->host, host)
					    : host;
		if (c->duration_ms > ret->duration_ms)
			ret->duration_ms = c->duration_ms;
		if (!ret->taken || (c->taken && strcmp(c->taken, ret->taken) < 0))
			ret->taken = c->taken;
		ret->selected |= c->selected;
	}
	ret->id = nh_arena_printf(ret->arena, "%016jx", (uintmax_t)id);
	ret->tool = cases[0]->tool;
	ret->kernel = cases[0]->kernel;
	ret->schema = NH_SCHEMA;
}

static bool is_told(const struct nh_verdict *v, const struct nh_finding *f)
{
	nh_for(other, &v->findings)
		if (other->title == f->title)
			return true;
	return false;
}

/* What one host's case comes to, once the view of all hosts has replaced findings of it. */
static int status_left(const struct nh_case *c, const struct nh_verdict *v)
{
	if (!c->verdict.findings.n)
		return c->verdict.status;
	nh_for(f, &c->verdict.findings)
		if (is_told(v, f))
			return c->verdict.status;
	nh_for(gap, &c->gaps)
		if (gap->needed)
			return NH_INCONCLUSIVE;
	return NH_NO_HANG;
}

void nh_merge(struct nh_case *const *cases, size_t n, struct nh_arena *a, struct nh_case *ret)
{
	if (n == 1) {
		*ret = *cases[0];
		return;
	}
	memset(ret, 0, sizeof(*ret));
	nh_row_init(&nh_case_header_type, ret);
	ret->arena = a;
	merge_header(cases, n, ret);
	for (size_t i = 0; i < n; i++) {
		nh_for(f, &cases[i]->verdict.findings)
			*nh_push(a, &ret->verdict.findings) = *f;
		nh_for(g, &cases[i]->gaps) {
			struct nh_gap *copy = nh_push(a, &ret->gaps);

			*copy = *g;
			copy->subject = nh_arena_printf(
				a, "%s: %s", cases[i]->host ? cases[i]->host : "?", g->subject);
		}
	}
	nh_live_merge(a, &ret->verdict, cases, n);
	nh_memory_fold(a, &ret->verdict);
	for (size_t i = 0; i < n; i++) {
		int status = status_left(cases[i], &ret->verdict);

		if (status > ret->verdict.status)
			ret->verdict.status = status;
	}
	merge_ruled_out(cases, n, ret);
	nh_join_findings(ret);
	nh_rank_findings(&ret->verdict);
}
