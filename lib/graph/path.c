#include "graph/path.h"

struct walk {
	const struct nh_graph *g;
	const struct nh_step *steps;
	size_t nsteps, farthest;
	nh_path_fn *fn;
	void *ctx;
	struct nh_path path;
};

static bool on_path(const struct nh_path *p, struct nh_node n)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->edge[i]->from.row == n.row)
			return true;
	return false;
}

static void go(struct walk *w, struct nh_node from, size_t step);

static void along(struct walk *w, struct nh_node from, size_t step, enum nh_edge_kind kind)
{
	const struct nh_step *s = &w->steps[step];
	size_t n;
	const struct nh_edge *out = nh_graph_out(w->g, from, kind, &n);

	for (size_t i = 0; i < n; i++) {
		if (on_path(&w->path, out[i].to))
			continue;
		w->path.edge[w->path.n++] = &out[i];
		if (!s->accept || s->accept(w->g, &w->path))
			go(w, out[i].to, step + 1);
		if (s->repeat)
			go(w, out[i].to, step);
		w->path.n--;
	}
}

/* Recursion is bounded by NH_PATH_MAX. */
static void go(struct walk *w, struct nh_node from, size_t step)
{
	const struct nh_step *s;

	if (step > w->farthest)
		w->farthest = step;
	if (step == w->nsteps) {
		w->fn(w->ctx, &w->path);
		return;
	}
	if (w->path.n == NH_PATH_MAX)
		return;
	s = &w->steps[step];
	along(w, from, step, s->edge);
	if (s->other)
		along(w, from, step, s->other);
	if (s->may_skip)
		go(w, from, step + 1);
}

const char *nh_path_walk(const struct nh_graph *g, const struct nh_pattern *pattern, nh_path_fn *fn,
	void *ctx, size_t *reached)
{
	struct walk w = {
		.g = g, .steps = pattern->steps, .nsteps = pattern->nsteps, .fn = fn, .ctx = ctx
	};
	bool begun = false;

	nh_for(t, &g->ix.threads) {
		if (pattern->begin && !pattern->begin(g, *t))
			continue;
		begun = true;
		w.path.start = *t;
		go(&w, (struct nh_node){ NH_NODE_THREAD, *t }, 0);
	}
	if (reached)
		*reached = w.farthest;
	if (!begun)
		return pattern->no_begin;
	return w.farthest == w.nsteps ? NULL : w.steps[w.farthest].missing;
}

const struct nh_edge *nh_path_edge(const struct nh_path *p, enum nh_edge_kind kind)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->edge[i]->kind == kind)
			return p->edge[i];
	return NULL;
}
