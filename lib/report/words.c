#include "report/words.h"

#include <inttypes.h>

#define FULL_FINDINGS 3
#define RULED_OUT_SHOWN 12

const char *nh_join(struct nh_arena *a, const char *s, const char *item)
{
	return *s ? nh_arena_printf(a, "%s, %s", s, item) : item;
}

/* By enum nh_status: how it looks, and what it means where no finding says so. */
static const struct {
	enum nh_tone tone;
	const char *meaning;
} statuses[] = {
	[NH_NOTHING_TO_INSPECT] = { NH_TONE_PLAIN,
		"No process maps an NCCL or torch library or has RANK and WORLD_SIZE in its "
		"environment, and every process could be examined." },
	[NH_NO_HANG] = { NH_TONE_GOOD,
		"Nothing was found that waits for something that cannot come. What was looked at, "
		"and why it was not convicted, is below." },
	[NH_INCONCLUSIVE] = { NH_TONE_WARN,
		"Nothing was convicted, but something that a verdict needs could not be seen." },
	[NH_PROBLEM] = { NH_TONE_WARN, "" },
	[NH_HANG] = { NH_TONE_BAD, "" },
};

static void title(struct nh_doc *d, const struct nh_verdict *v, bool asked)
{
	int s = v->status >= NH_NOTHING_TO_INSPECT && v->status <= NH_HANG ? v->status
									   : NH_INCONCLUSIVE;
	const struct nh_finding *f = v->findings.n ? v->findings.v : NULL;
	const char *text = nh_status_names[s];

	if (f)
		text = nh_arena_printf(
			d->arena, "%s: %s (%s)", text, f->id, nh_confidence_names[f->confidence]);
	nh_doc_pair(d, NH_B_TITLE, NULL, text)->tone = statuses[s].tone;
	if (!f && s == NH_NOTHING_TO_INSPECT && asked)
		nh_doc_add(d, NH_B_PARA,
			"Nothing that was asked for has a thread that could wait: see below.");
	else if (!f)
		nh_doc_add(d, NH_B_PARA, statuses[s].meaning);
}

/* The first few in full: sixty-four hosts in the same state must not make sixty-four reports. */
static void findings(struct nh_doc *d, const struct nh_view *v)
{
	const struct nh_verdict *verdict = &v->merged->verdict;
	size_t n = verdict->findings.n, full = v->all || n < FULL_FINDINGS ? n : FULL_FINDINGS;

	for (size_t i = 0; i < full; i++) {
		const struct nh_finding *f = &verdict->findings.v[i];

		if (i)
			nh_doc_printf(d, NH_B_TITLE, "also: %s (%s)", f->id,
				nh_confidence_names[f->confidence]);
		nh_words_finding(d, v, f);
	}
	if (full < n)
		nh_doc_add(d, NH_B_HEADING, "Further findings (--all shows them in full)");
	for (size_t i = full; i < n; i++) {
		const struct nh_finding *f = &verdict->findings.v[i];

		nh_doc_printf(d, NH_B_ITEM, "%s (%s): %s", f->id,
			nh_confidence_names[f->confidence], f->title ? f->title : "");
	}
}

static void ruled_out(struct nh_doc *d, const struct nh_view *v)
{
	const struct nh_verdict *verdict = &v->merged->verdict;
	size_t n = verdict->ruled_out.n;

	if (!n)
		return;
	if (verdict->findings.n)
		nh_doc_detail(d, "Ruled out");
	else
		nh_doc_add(d, NH_B_HEADING, "Why nothing was convicted");
	if (!v->all && n > RULED_OUT_SHOWN)
		n = RULED_OUT_SHOWN;
	for (size_t i = 0; i < n; i++)
		nh_doc_printf(d, NH_B_ITEM, "%s: %s", verdict->ruled_out.v[i].id,
			verdict->ruled_out.v[i].why);
	if (n < verdict->ruled_out.n)
		nh_doc_printf(
			d, NH_B_ITEM, "%zu more (--all shows them)", verdict->ruled_out.n - n);
}

void nh_words(struct nh_doc *d, const struct nh_view *v)
{
	title(d, &v->merged->verdict, v->merged->asked.n > 0);
	nh_words_summary(d, v);
	findings(d, v);
	nh_words_gaps(d, v);
	nh_words_elimination(d, v);
	nh_words_nccl(d, v);
	nh_words_gpus(d, v);
	nh_words_stacks(d, v);
	nh_words_settings(d, v);
	nh_words_ras(d, v);
	nh_words_checkpoints(d, v);
	ruled_out(d, v);
	nh_words_footer(d, v);
	for (size_t i = 0; v->tables && i < v->n; i++)
		nh_words_tables(d, v->cases[i]);
}

static struct nh_view view_of(struct nh_arena *a, const struct nh_case *merged,
	struct nh_case *const *cases, size_t n, const struct nh_report_opts *opts)
{
	struct nh_groups *groups = nh_new(a, struct nh_groups, n + 1);

	for (size_t i = 0; i < n; i++)
		nh_eliminate(a, cases[i], &groups[i]);
	return (struct nh_view){ .merged = merged,
		.cases = cases,
		.n = n,
		.groups = groups,
		.all = opts->all,
		.verbose = opts->verbose,
		.tables = opts->all };
}

void nh_report_text(FILE *f, const struct nh_case *merged, struct nh_case *const *cases, size_t n,
	const struct nh_report_opts *opts)
{
	struct nh_arena a = { 0 };
	struct nh_doc d = { .arena = &a };
	struct nh_view v = view_of(&a, merged, cases, n, opts);

	nh_words(&d, &v);
	nh_doc_text(f, &d, opts);
	nh_arena_free(&a);
}

void nh_report_markdown(FILE *f, const struct nh_case *merged, struct nh_case *const *cases,
	size_t n, const struct nh_report_opts *opts)
{
	struct nh_arena a = { 0 };
	struct nh_doc d = { .arena = &a };
	struct nh_view v = view_of(&a, merged, cases, n, opts);

	v.tables = true; /* folded away, they cost the reader nothing */
	nh_words(&d, &v);
	nh_doc_markdown(f, &d, opts);
	nh_arena_free(&a);
}
