#include "analyse/rank.h"

#include <stdlib.h>
#include <string.h>

static int best_first(const void *a, const void *b)
{
	const struct nh_finding *x = a, *y = b;

	if (x->confidence != y->confidence)
		return y->confidence - x->confidence;
	if (x->victims.n != y->victims.n)
		return x->victims.n < y->victims.n ? 1 : -1;
	return strcmp(x->title, y->title);
}

void nh_rank_findings(struct nh_verdict *v)
{
	if (v->findings.n)
		qsort(v->findings.v, v->findings.n, sizeof(*v->findings.v), best_first);
}
