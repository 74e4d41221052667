#include "analyse/rank.h"

#include <stdlib.h>
#include <string.h>

static bool has_victim(const struct nh_finding *f, const struct nh_actor *who)
{
	nh_for(v, &f->victims)
		if (v->pid == who->pid && (!v->host || !who->host || !strcmp(v->host, who->host)))
			return true;
	return false;
}

/* The finding that holds f's culprit up; NULL = none.  In a cycle each is the other's victim;
 * neither is a mere consequence then. */
static const struct nh_finding *cause_of(const struct nh_verdict *v, const struct nh_finding *f)
{
	if (!f->culprit || f->culprit->pid == NH_UNKNOWN || has_victim(f, f->culprit))
		return NULL;
	nh_for(other, &v->findings)
		if (other != f && has_victim(other, f->culprit) &&
			!(other->culprit && has_victim(f, other->culprit)))
			return other;
	return NULL;
}

static int best_first(const void *a, const void *b)
{
	const struct nh_finding *x = a, *y = b;

	if (!x->because != !y->because)
		return x->because ? 1 : -1;
	if (x->confidence != y->confidence)
		return y->confidence - x->confidence;
	if (x->victims.n != y->victims.n)
		return x->victims.n < y->victims.n ? 1 : -1;
	return strcmp(x->title, y->title);
}

void nh_rank_findings(struct nh_verdict *v)
{
	nh_for(f, &v->findings) {
		const struct nh_finding *cause = cause_of(v, f);

		f->because = cause ? cause->id : NULL;
	}
	if (v->findings.n)
		qsort(v->findings.v, v->findings.n, sizeof(*v->findings.v), best_first);
}
