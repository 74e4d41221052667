#include "graph/silhouette.h"

enum { WORDS_MAX = 16 }; /* frames named in one sentence */

const struct nh_stack *nh_stack_of(const struct nh_graph *g, const struct nh_thread *t)
{
	return t->stack == NH_UNKNOWN ? NULL : nh_index_stack(&g->ix, t->stack);
}

static size_t find(const struct nh_stack *s, enum nh_td_kind kind)
{
	for (size_t i = 0; s && i < s->frames.n; i++)
		if (nh_teardown_kind(&s->frames.v[i]) == kind)
			return i;
	return SIZE_MAX;
}

static const char *frame_word(struct nh_arena *a, const struct nh_frame *f)
{
	char base[256];

	if (f->python)
		return f->func;
	if (!f->func || f->nearest)
		return nh_arena_printf(
			a, "%s+0x%jx", f->module ? f->module : "?", (uintmax_t)f->offset);
	return nh_arena_strdup(a, nh_frame_base(f, base, sizeof(base)));
}

const char *nh_stack_words(struct nh_arena *a, const struct nh_stack *s, size_t from, size_t to)
{
	const char *words = "";

	for (size_t i = from; i <= to && i < s->frames.n; i++) {
		if (i - from == WORDS_MAX)
			return nh_arena_printf(a, "%s < …", words);
		words = nh_arena_printf(
			a, "%s%s%s", words, i > from ? " < " : "", frame_word(a, &s->frames.v[i]));
	}
	return words;
}

/* The entry point on a thread's stack, SIZE_MAX where there is none. */
static size_t find_entry(const struct nh_stack *s, enum nh_td_kind *kind)
{
	static const enum nh_td_kind entries[] = { NH_TD_ABORT, NH_TD_DESTROY, NH_TD_FINALIZE };

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		size_t at = find(s, entries[i]);

		if (at != SIZE_MAX) {
			*kind = entries[i];
			return at;
		}
	}
	return SIZE_MAX;
}

/* The thread that waits for a job of this one's process. */
static void find_launcher(
	const struct nh_graph *g, const struct nh_thread *t, struct nh_silhouette *ret)
{
	size_t n;
	const struct nh_thread *const *of = nh_index_threads(&g->ix, t->pid, &n);

	for (size_t i = 0; i < n && !ret->caller; i++) {
		if (of[i] == t || !nh_on_stack(g, of[i], NH_TD_LAUNCH))
			continue;
		if (find_entry(nh_stack_of(g, of[i]), &ret->entry) != SIZE_MAX)
			ret->caller = of[i];
	}
}

struct nh_silhouette nh_silhouette_of(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_silhouette ret = { .entry = NH_TD_NONE };
	const struct nh_stack *s = nh_stack_of(g, t);
	size_t entry, last;

	if (!s)
		return ret;
	ret.total = (int64_t)s->frames.n;
	nh_for(f, &s->frames)
		ret.unnamed += !f->func || f->nearest;
	entry = find_entry(s, &ret.entry);
	last = entry;
	if (entry != SIZE_MAX)
		ret.caller = t;
	else if (find(s, NH_TD_JOB) != SIZE_MAX || find(s, NH_TD_INNER) != SIZE_MAX)
		find_launcher(g, t, &ret);
	/* Without an entry the outermost frame that means something ends the sentence. */
	for (size_t i = s->frames.n; last == SIZE_MAX && i-- > 0;)
		if (nh_teardown_kind(&s->frames.v[i]) != NH_TD_NONE)
			last = i;
	if (last == SIZE_MAX)
		last = s->frames.n ? s->frames.n - 1 : 0;
	ret.frames = nh_stack_words(a, s, 0, last);
	return ret;
}
