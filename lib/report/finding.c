#include "report/words.h"

#include <inttypes.h>
#include "base/str.h"

#define VICTIMS_SHOWN 8
#define APART_MS 1000 /* of samples, for a state and not a moment */

/* By enum nh_confidence. */
static const char *const confidence_words[] = { "",
	"possible: a suspicion, without the state of what it waits for",
	"likely: ", "confirmed: every link was read as a fact, the same in two samples" };

/* Why it is not confirmed, as far as that is the same for every rule. */
static const char *doubt(const struct nh_view *v, const struct nh_finding *f)
{
	const struct nh_case *c = v->n == 1 ? v->cases[0] : NULL;

	nh_for(l, &f->chain)
		if (l->inferred)
			return "an arrow of the chain is inferred";
	if (c && c->samples.n == 1)
		return "one sample only";
	if (c && c->samples.n &&
		c->samples.v[c->samples.n - 1].at_ms - c->samples.v[0].at_ms < APART_MS)
		return "the samples are less than 1 s apart";
	return f->unknown.n ? "not all of it could be read, see what is not known"
			    : "it rests on more than waits that were read in two samples";
}

/* "rank 3, pid 4711 (python3), fd 7 on gpu03": what is known of it. */
const char *nh_actor_words(struct nh_arena *a, const struct nh_actor *who, bool host)
{
	const char *s = "";

	if (who->rank != NH_UNKNOWN)
		s = nh_arena_printf(a, "rank %" PRId64, who->rank);
	if (who->pid != NH_UNKNOWN)
		s = nh_join(a, s, nh_arena_printf(a, "pid %" PRId64, who->pid));
	if (who->comm)
		s = nh_arena_printf(a, "%s%s(%s)", s, *s ? " " : "", who->comm);
	if (who->tid != NH_UNKNOWN && who->tid != who->pid)
		s = nh_join(a, s, nh_arena_printf(a, "thread %" PRId64, who->tid));
	if (who->fd != NH_UNKNOWN)
		s = nh_join(a, s, nh_arena_printf(a, "fd %" PRId64, who->fd));
	if (host && who->host)
		s = nh_arena_printf(a, "%s%son %s", s, *s ? " " : "", who->host);
	return *s ? s : "unknown";
}

static void victims(struct nh_doc *d, const struct nh_view *v, const struct nh_finding *f)
{
	size_t n = f->victims.n, shown = v->all || n <= VICTIMS_SHOWN ? n : VICTIMS_SHOWN;
	int64_t total = f->victims_total != NH_UNKNOWN ? f->victims_total : (int64_t)n;
	const char *s = "";

	for (size_t i = 0; i < shown; i++)
		s = nh_arena_printf(d->arena, "%s%s%s", s, i ? "; " : "",
			nh_actor_words(d->arena, &f->victims.v[i], v->n > 1));
	if (total > (int64_t)shown)
		s = nh_arena_printf(d->arena, "%s%s%" PRId64 " more", s, shown ? "; " : "",
			total - (int64_t)shown);
	if (total > 1)
		s = nh_arena_printf(d->arena, "%" PRId64 ": %s", total, s);
	if (total)
		nh_doc_def(d, total > 1 ? "victims" : "victim", "%s", s);
}

/* One path where each link begins at the end of the one before; a new path where one does not. */
static void chain(struct nh_doc *d, const struct nh_finding *f)
{
	const struct nh_link *before = NULL;
	bool inferred = false;

	if (!f->chain.n)
		return;
	nh_doc_add(d, NH_B_HEADING, "What waits for what");
	nh_for(l, &f->chain) {
		if (!before || !nh_streq(before->to, l->from))
			nh_doc_add(d, NH_B_NODE, l->from);
		nh_doc_pair(d, NH_B_ARROW, l->edge, l->fact)->dotted = l->inferred;
		nh_doc_add(d, NH_B_NODE, l->to);
		inferred |= l->inferred;
		before = l;
	}
	d->blocks.v[d->blocks.n - 1].tone = NH_TONE_BAD;
	if (inferred)
		nh_doc_add(d, NH_B_PARA, "A dotted arrow was inferred; every other one was read.");
}

static void gates(struct nh_doc *d, const struct nh_finding *f)
{
	static const struct {
		const char *state;
		enum nh_tone tone;
	} tones[] = { { "not held", NH_TONE_WARN }, { "inferred", NH_TONE_WARN } };

	if (!f->gates.n)
		return;
	nh_doc_add(d, NH_B_HEADING, "Conditions of the mechanism");
	nh_for(g, &f->gates) {
		const char *text =
			g->fact ? nh_arena_printf(d->arena, "%s: %s", g->gate, g->fact) : g->gate;
		struct nh_block *b = nh_doc_pair(d, NH_B_DEF, g->state, text);

		for (size_t i = 0; i < sizeof(tones) / sizeof(*tones); i++)
			if (nh_streq(g->state, tones[i].state))
				b->tone = tones[i].tone;
	}
}

static void list(struct nh_doc *d, const char *heading, const char **items, size_t n)
{
	if (n)
		nh_doc_add(d, NH_B_HEADING, heading);
	for (size_t i = 0; i < n; i++)
		nh_doc_add(d, NH_B_ITEM, items[i]);
}

static void remedies(struct nh_doc *d, const struct nh_finding *f)
{
	if (f->remedy.n)
		nh_doc_add(d, NH_B_HEADING, "What to do");
	for (size_t i = 0; i < f->remedy.n; i++) {
		const struct nh_remedy *r = &f->remedy.v[i];

		nh_doc_pair(d, NH_B_STEP, nh_arena_printf(d->arena, "%zu", i + 1), r->what);
		if (r->command)
			nh_doc_add(d, NH_B_COMMAND, r->command);
	}
}

void nh_words_finding(struct nh_doc *d, const struct nh_view *v, const struct nh_finding *f)
{
	if (f->title)
		nh_doc_add(d, NH_B_PARA, f->title);
	if (f->culprit) {
		nh_doc_def(d, "culprit", "%s", nh_actor_words(d->arena, f->culprit, true));
		d->blocks.v[d->blocks.n - 1].tone = NH_TONE_BAD;
	} else {
		nh_doc_def(d, "culprit", "not known from here");
	}
	victims(d, v, f);
	nh_doc_def(d, "confidence", "%s%s", confidence_words[f->confidence],
		f->confidence == NH_LIKELY ? doubt(v, f) : "");
	if (f->because)
		nh_doc_def(d, "caused by", "%s: what holds this one's culprit up", f->because);
	chain(d, f);
	gates(d, f);
	list(d, "Evidence", f->evidence.v, f->evidence.n);
	list(d, "What would refute it", f->refutes.v, f->refutes.n);
	list(d, "Not known", f->unknown.v, f->unknown.n);
	remedies(d, f);
}
