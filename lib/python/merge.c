#include "python/merge.h"

#include <string.h>
#include "stack/symbol.h"

#define NO_STEP SIZE_MAX

/* The native frame around an address. */
static size_t step_of_anchor(const struct nh_walk *w, uint64_t anchor)
{
	for (size_t i = 0; i + 1 < w->n; i++)
		if (anchor >= w->v[i].sp && anchor < w->v[i + 1].sp)
			return i;
	return NO_STEP;
}

static bool is_eval(const struct nh_step *step)
{
	static const char eval[] = "_PyEval_EvalFrameDefault";
	const char *name = NULL;

	for (const struct nh_symbol *s = step->symbol; s; s = s->inlined ? s->outer : NULL)
		name = s->nearest ? NULL : s->name;
	/* The compiler may have put the cold part elsewhere, as NAME.cold. */
	return name && !strncmp(name, eval, sizeof(eval) - 1) &&
	       (!name[sizeof(eval) - 1] || name[sizeof(eval) - 1] == '.');
}

/* One to one, innermost first.  A whole walk must have as many of the one as of the other. */
static void place_by_name(const struct nh_walk *w, const struct nh_py_stack *py, size_t *place)
{
	size_t evals = 0, next = 0;

	for (size_t i = 0; i < w->n; i++)
		evals += is_eval(&w->v[i]);
	if (w->complete ? evals != py->segments.n : evals > py->segments.n)
		return;
	for (size_t i = 0; i < w->n; i++)
		if (is_eval(&w->v[i]))
			place[next++] = i;
}

static void place_all(const struct nh_walk *w, const struct nh_py_stack *py, size_t *place)
{
	bool anchored = false;

	for (size_t s = 0; s < py->segments.n; s++) {
		uint64_t anchor = py->segments.v[s].anchor;

		place[s] = anchor ? step_of_anchor(w, anchor) : NO_STEP;
		anchored |= anchor != 0;
	}
	if (!anchored)
		place_by_name(w, py, place);
}

static bool emit(struct nh_merged_stack *m, const struct nh_py_stack *py, size_t s, size_t step)
{
	const struct nh_py_segment *seg = &py->segments.v[s];

	for (size_t f = seg->begin; f < seg->end; f++)
		m->v[m->n++] = (struct nh_merged){ &py->frames.v[f], step };
	return seg->end > seg->begin;
}

void nh_py_merge(struct nh_arena *a, const struct nh_walk *walk, const struct nh_py_stack *py,
	struct nh_merged_stack *ret)
{
	size_t *place = nh_new(a, size_t, py->segments.n + 1);

	*ret = (struct nh_merged_stack){ .v = nh_new(a, struct nh_merged, walk->n + py->frames.n) };
	place_all(walk, py, place);
	for (size_t i = 0; i < walk->n; i++) {
		bool replaced = false;

		for (size_t s = 0; s < py->segments.n; s++)
			if (place[s] == i)
				replaced |= emit(ret, py, s, i);
		if (!replaced)
			ret->v[ret->n++] = (struct nh_merged){ NULL, i };
	}
	for (size_t s = 0; s < py->segments.n; s++) {
		if (place[s] != NO_STEP)
			continue;
		emit(ret, py, s, NO_STEP);
		ret->unplaced += py->segments.v[s].end - py->segments.v[s].begin;
	}
}
