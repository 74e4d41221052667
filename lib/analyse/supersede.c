#include "analyse/supersede.h"

#include <string.h>
#include "base/str.h"

/* The first explains more of the same threads than the second. */
static const struct {
	const char *better, *other;
} precedence[] = {
	{ "gil-deadlock", "lock-cycle" },
	{ "gil-deadlock", "held-pipe" },
	{ "gil-deadlock", "dead-peer" },
	{ "gil-deadlock", "interpreter-exit" },
	{ "gil-deadlock", "collective-wait" },
	{ "held-pipe", "interpreter-exit" },
	{ "dead-peer", "interpreter-exit" },
	{ "lock-cycle", "interpreter-exit" },
	{ "fork-inherited-lock", "interpreter-exit" },
	{ "nccl-teardown-cuda", "cuda-lock" },
	{ "out-of-memory", "held-pipe" },
	{ "out-of-memory", "dead-peer" },
	{ "gil-deadlock", "zombie-leader" },
	{ "lock-cycle", "zombie-leader" },
	{ "fork-inherited-lock", "zombie-leader" },
	{ "interpreter-exit", "zombie-leader" },
	{ "stopped-process", "zombie-leader" },
	{ "nccl-teardown-progress", "cuda-lock" },
};

static bool comes_before(const char *better, const char *other)
{
	for (size_t i = 0; i < sizeof(precedence) / sizeof(*precedence); i++)
		if (!strcmp(precedence[i].better, better) && !strcmp(precedence[i].other, other))
			return true;
	return false;
}

static bool same_thread(const struct nh_actor *a, const struct nh_actor *b)
{
	return a->tid != NH_UNKNOWN && a->pid == b->pid && a->tid == b->tid &&
	       nh_streq(a->host, b->host);
}

/* Whether one of f's threads, victim or culprit, is that actor. */
static bool involves(const struct nh_finding *f, const struct nh_actor *who)
{
	if (f->culprit && same_thread(f->culprit, who))
		return true;
	nh_for(v, &f->victims)
		if (same_thread(v, who))
			return true;
	return false;
}

static bool share_a_thread(const struct nh_finding *f, const struct nh_finding *g)
{
	if (f->culprit && involves(g, f->culprit))
		return true;
	nh_for(v, &f->victims)
		if (involves(g, v))
			return true;
	return false;
}

static struct nh_finding *better_than(struct nh_verdict *v, const struct nh_finding *f)
{
	nh_for(g, &v->findings)
		if (comes_before(g->id, f->id) && share_a_thread(g, f) &&
			(g->confidence >= NH_LIKELY || g->confidence >= f->confidence))
			return g;
	return NULL;
}

/* The one at the end: what is better may have something better itself. */
static struct nh_finding *best_for(struct nh_verdict *v, const struct nh_finding *f)
{
	struct nh_finding *best = better_than(v, f);
	size_t left = v->findings.n;

	for (struct nh_finding *g = best; g && left--; g = better_than(v, g))
		best = g;
	return best;
}

static bool has_id(const struct nh_finding *v, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].id, id))
			return true;
	return false;
}

void nh_supersede(struct nh_case *c)
{
	struct nh_verdict *v = &c->verdict;
	NH_VEC(struct nh_ruled_out) dropped = { 0 };
	struct nh_finding *kept = nh_new(c->arena, struct nh_finding, v->findings.n + 1);
	size_t n = 0;

	nh_for(f, &v->findings) {
		struct nh_finding *better = best_for(v, f);

		if (!better)
			continue;
		*nh_push(c->arena, &better->evidence) =
			nh_arena_printf(c->arena, "also seen as %s (%s): %s", f->id,
				nh_confidence_names[f->confidence], f->title);
		*nh_push(c->arena, &dropped) = (struct nh_ruled_out){ f->id,
			nh_arena_printf(c->arena,
				"the same threads are told as %s, which explains "
				"more of them",
				better->id) };
	}
	if (!dropped.n)
		return;
	nh_for(f, &v->findings)
		if (!better_than(v, f))
			kept[n++] = *f;
	for (size_t i = 0; i < n; i++)
		v->findings.v[i] = kept[i];
	v->findings.n = n;
	nh_for(d, &dropped)
		if (!has_id(kept, n, d->id))
			*nh_push(c->arena, &v->ruled_out) = *d;
}
