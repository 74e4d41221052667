#include "report/words.h"

#include "base/str.h"

#define SUBJECTS_SHOWN 4
#define GROUPS_MAX 64 /* also what keeps a case with a million gaps from costing their square */

/* Gaps that differ in their subject alone: five hundred unreadable processes are one line. */
struct group {
	const struct nh_gap *first;
	const char *subjects;
	size_t n;
};

static bool same_group(const struct nh_gap *a, const struct nh_gap *b)
{
	return a->needed == b->needed && nh_streq(a->what, b->what) && nh_streq(a->why, b->why) &&
	       nh_streq(a->grant, b->grant);
}

static void add(struct nh_arena *a, struct group *g, const struct nh_gap *gap, bool all)
{
	const char *subject = gap->subject ? gap->subject : "this host";

	if (all || g->n < SUBJECTS_SHOWN)
		g->subjects = nh_join(a, g->n ? g->subjects : "", subject);
	g->n++;
}

static size_t group_gaps(
	struct nh_arena *a, const struct nh_view *v, struct group *groups, size_t *rest)
{
	size_t n = 0, i;

	nh_for(gap, &v->merged->gaps) {
		if (gap->minor && !v->all)
			continue;
		for (i = 0; i < n && !same_group(groups[i].first, gap); i++)
			;
		if (i == GROUPS_MAX) {
			++*rest;
			continue;
		}
		if (i == n)
			groups[n++] = (struct group){ .first = gap };
		add(a, &groups[i], gap, v->all);
	}
	return n;
}

void nh_words_gaps(struct nh_doc *d, const struct nh_view *v)
{
	struct group groups[GROUPS_MAX];
	size_t rest = 0, n = group_gaps(d->arena, v, groups, &rest);

	if (n)
		nh_doc_add(d, NH_B_HEADING, "What could not be seen");
	for (size_t i = 0; i < n; i++) {
		const struct nh_gap *gap = groups[i].first;
		const char *subjects = groups[i].subjects;

		if (!v->all && groups[i].n > SUBJECTS_SHOWN)
			subjects = nh_arena_printf(d->arena, "%s and %zu more", subjects,
				groups[i].n - SUBJECTS_SHOWN);
		nh_doc_printf(d, NH_B_ITEM, "%s: %s: %s%s", subjects,
			gap->what ? gap->what : "something", gap->why ? gap->why : "reason unknown",
			gap->needed ? " (a verdict of no-hang needs it)" : "");
		/* The same command below several lines is printed once. */
		if (gap->grant && (i + 1 == n || !nh_streq(gap->grant, groups[i + 1].first->grant)))
			nh_doc_add(d, NH_B_COMMAND, gap->grant);
	}
	if (rest)
		nh_doc_printf(d, NH_B_ITEM, "%zu more; --format json has them all", rest);
}
