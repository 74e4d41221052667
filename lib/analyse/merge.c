#include <string.h>
#include "analyse/analyse.h"
#include "analyse/rank.h"
#include "base/set.h"
#include "base/str.h"

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
		if (cases[i]->verdict.status > ret->verdict.status)
			ret->verdict.status = cases[i]->verdict.status;
	}
	merge_ruled_out(cases, n, ret);
	nh_rank_findings(&ret->verdict);
}
