#include "base/str.h"
#include "report/words.h"
#include "tui/screens.h"

static const enum nh_tone status_tones[] = { [NH_NOTHING_TO_INSPECT] = NH_TONE_PLAIN,
	[NH_NO_HANG] = NH_TONE_GOOD,
	[NH_INCONCLUSIVE] = NH_TONE_WARN,
	[NH_PROBLEM] = NH_TONE_WARN,
	[NH_HANG] = NH_TONE_BAD };

static const struct nh_finding *shown(const struct nh_tui *t)
{
	const struct nh_verdict *v = &t->look->merged->verdict;

	return t->finding < v->findings.n ? &v->findings.v[t->finding] : NULL;
}

static void node(const struct nh_tui *t, struct nh_lines *l, const struct nh_finding *f,
	const char *name, size_t link, bool last)
{
	struct nh_ref ref = nh_look_find(t->look, f, name);
	bool culprit = last && f->culprit;
	struct nh_line *line = nh_line_add(l, culprit ? NH_BOLD | NH_TONE_BAD : NH_TONE_PLAIN,
		"  %s %s%s", culprit ? "◆" : "●", name, culprit ? "   <- the culprit" : "");

	line->ref = ref;
	line->walk = true; /* also a node that only the words name */
	line->tag = link;
}

/* The path, and under each node how it waits for the next. */
static void chain(const struct nh_tui *t, struct nh_lines *l, const struct nh_finding *f)
{
	const struct nh_link *before = NULL;

	for (size_t i = 0; i < f->chain.n; i++) {
		const struct nh_link *link = &f->chain.v[i];

		if (!before || !nh_streq(before->to, link->from))
			node(t, l, f, link->from, i, false);
		nh_line_add(l, NH_TONE_DIM, "  │ %s%s", link->edge,
			link->inferred ? " (inferred)" : "");
		/* The node's own link is the next one, if the path goes on there. */
		node(t, l, f, link->to, i + 1, i + 1 == f->chain.n);
		before = link;
	}
}

static void nothing(const struct nh_verdict *v, struct nh_lines *l)
{
	if (v->ruled_out.n)
		nh_line_heading(l, "Why nothing was convicted");
	nh_for(r, &v->ruled_out)
		nh_line_flow(
			l, NH_TONE_PLAIN, "  - ", nh_arena_printf(l->a, "%s: %s", r->id, r->why));
}

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	const struct nh_verdict *v;
	const struct nh_finding *f;

	if (!t->look) {
		nh_line_add(l, NH_BOLD, "%s", *t->busy ? t->busy : "nothing has been collected");
		nh_line_add(l, NH_TONE_PLAIN, "%s", "");
		nh_line_flow(l, NH_TONE_DIM, "",
			"The verdict appears here. Keys work meanwhile: ? help, q quit.");
		return;
	}
	v = &t->look->merged->verdict;
	f = shown(t);
	nh_line_add(l, NH_BOLD | status_tones[v->status], "%s%s%s%s%s%s%s",
		nh_status_names[v->status], f ? ": " : "", f ? f->id : "", f ? " (" : "",
		f ? nh_confidence_names[f->confidence] : "", f ? ")" : "",
		v->findings.n > 1 ? nh_arena_printf(l->a, "   finding %zu of %zu (left, right)",
					    t->finding + 1, v->findings.n)
				  : "");
	if (!f) {
		nothing(v, l);
		return;
	}
	if (f->title)
		nh_line_flow(l, NH_TONE_PLAIN, "", f->title);
	nh_line_flow(l, NH_TONE_BAD, "culprit  ",
		f->culprit ? nh_actor_words(l->a, f->culprit, true) : "not known from here");
	nh_line_add(l, NH_TONE_PLAIN, "%s", "");
	chain(t, l, f);
}

/* What was read that makes the selected node wait for the next one. */
static void below(const struct nh_tui *t, const struct nh_line *selected, struct nh_lines *l)
{
	const struct nh_finding *f = shown(t);

	if (!f || !selected)
		return;
	if (selected->tag < f->chain.n) {
		const struct nh_link *link = &f->chain.v[selected->tag];

		nh_line_flow(l, NH_TONE_PLAIN, nh_arena_printf(l->a, "%s: ", link->edge),
			link->fact ? link->fact : "");
	} else if (f->remedy.n) {
		nh_for(r, &f->remedy)
			nh_line_flow(l, NH_TONE_PLAIN, r == f->remedy.v ? "do: " : "or: ", r->what);
	}
}

const struct nh_screen_ops nh_screen_verdict = {
	.title = "Verdict",
	.keys = "up down walk  Enter detail  Tab next  r refresh  s save  y copy  ? help  q quit",
	.build = build,
	.below = below,
};
