#include "analyse/rank.h"

#include <stdlib.h>
#include <string.h>

/* How far a finding is from the root of the story: its culprit may be another one's victim. */
struct ranked {
	struct nh_finding f;
	bool consequence;
};

static bool has_victim(const struct nh_finding *f, const struct nh_actor *who)
{
	nh_for(v, &f->victims)
		if (v->pid == who->pid && (!v->host || !who->host || !strcmp(v->host, who->host)))
			return true;
	return false;
}

/* In a cycle each is the other's victim; neither is a mere consequence then. */
static bool is_consequence(const struct nh_verdict *v, const struct nh_finding *f)
{
	if (!f->culprit || f->culprit->pid == NH_UNKNOWN || has_victim(f, f->culprit))
		return false;
	nh_for(other, &v->findings)
		if (other != f && has_victim(other, f->culprit) &&
			!(other->culprit && has_victim(f, other->culprit)))
			return true;
	return false;
}

static int best_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->consequence != y->consequence)
		return x->consequence - y->consequence;
	if (x->f.confidence != y->f.confidence)
		return y->f.confidence - x->f.confidence;
	if (x->f.victims.n != y->f.victims.n)
		return x->f.victims.n < y->f.victims.n ? 1 : -1;
	return strcmp(x->f.title, y->f.title);
}

void nh_rank_findings(struct nh_verdict *v)
{
	struct nh_arena tmp = { 0 };
	size_t n = v->findings.n;
	struct ranked *all = nh_new(&tmp, struct ranked, n + 1);

	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ v->findings.v[i], is_consequence(v, &v->findings.v[i]) };
	qsort(all, n, sizeof(*all), best_first);
	for (size_t i = 0; i < n; i++)
		v->findings.v[i] = all[i].f;
	nh_arena_free(&tmp);
}
