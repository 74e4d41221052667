#include "rules/kernel_wait.h"

#include "rules/data_wait.h"
#include "graph/words.h"
#include "base/str.h"

enum { BARELY = 2, FUNCTIONS_SHOWN = 6 };

/* A page fault is no system call: it has no arguments to compare. */
static bool same_call(const struct nh_thread *x, const struct nh_thread *y)
{
	if (x->running || y->running || x->nr != y->nr || x->args.n != y->args.n)
		return false;
	for (size_t i = 0; i < x->args.n; i++)
		if (x->args.v[i] != y->args.v[i])
			return false;
	return x->sp == y->sp;
}

enum nh_stay nh_stay_of(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_thread *old = nh_graph_other(g, t);
	int64_t switches;

	if (g->ix.c->samples.n < 2)
		return NH_NOT_SEEN;
	if (!old || !same_call(old, t))
		return NH_MOVES;
	switches = t->vcsw - old->vcsw;
	if (!switches)
		return NH_STAYS;
	return switches >= -BARELY && switches <= BARELY ? NH_BARELY : NH_MOVES;
}

int nh_stay_confidence(enum nh_stay stay)
{
	return stay == NH_STAYS ? NH_CONFIRMED : NH_POSSIBLE;
}

struct nh_place nh_place_of(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	const struct nh_fd *fd = w.fd < 0 ? NULL : nh_index_fd(&g->ix, t, w.fd);

	if (t->fstype || !fd)
		return (struct nh_place){ t->fstype, t->mount, t->source };
	return (struct nh_place){ fd->fstype, fd->mount, fd->source };
}

bool nh_is_uninterruptible(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	return nh_streq(t->state, "D") && p && p->why != NH_WHY_ANCESTOR;
}

const struct nh_cgroup *nh_frozen_group(const struct nh_graph *g, const struct nh_process *p)
{
	nh_for(row, &g->ix.c->cgroups) {
		const char *own = row->hierarchy == NH_CGROUP_V2	? p->cgroup
				  : row->hierarchy == NH_CGROUP_FREEZER ? p->cgroup_freezer
									: NULL;

		if (row->sample == g->ix.sample && row->frozen && own && nh_streq(own, row->path))
			return row;
	}
	return NULL;
}

bool nh_is_frozen(const struct nh_graph *g, const struct nh_process *p)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, p->pid, &n);

	return nh_frozen_group(g, p) || (n && nh_streq(all[0]->wchan, "__refrigerator"));
}

static const char *object_words(struct nh_arena *a, const struct nh_graph *g,
	const struct nh_thread *t, const struct nh_wait *w)
{
	const struct nh_fd *fd = w->fd < 0 ? NULL : nh_index_fd(&g->ix, t, w->fd);

	if (t->path)
		return nh_arena_printf(a, " of %s", t->path);
	if (w->fd < 0)
		return "";
	return nh_arena_printf(a, " of fd %jd%s%s%s", (intmax_t)w->fd, fd && fd->path ? " (" : "",
		fd && fd->path ? fd->path : "", fd && fd->path ? ")" : "");
}

const char *nh_kernel_words(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	const char *in = t->kernel.n ? ", in the kernel: " : "";

	for (size_t i = 0; i < t->kernel.n && i < FUNCTIONS_SHOWN; i++)
		in = nh_arena_printf(a, "%s%s%s", in, i ? " < " : "", t->kernel.v[i]);
	if (!t->kernel.n && t->wchan)
		in = nh_arena_printf(a, ", in the kernel: %s", t->wchan);
	return nh_arena_printf(a, "%s: %s%s, state %s%s%s", nh_name_thread(a, t),
		w.call	      ? w.call
		: t->nr == -1 ? "a page fault"
			      : "an unknown call",
		object_words(a, g, t, &w), t->state ? t->state : "unknown",
		p && p->killed ? ", SIGKILL pending" : "", in);
}

/* From what thread t reads to process p, if p alone has the other end, t's own process aside: how
 * many edges; 0 = somebody else may send as well. */
static size_t way_to(const struct nh_graph *g, const struct nh_thread *t, struct nh_node from,
	const struct nh_process *p, const struct nh_edge *way[2])
{
	const struct nh_edge *held = NULL;
	size_t n = 0, nout;
	const struct nh_edge *out = nh_graph_out(g, from, NH_EDGE_PEER, &nout);

	if (nout == 1) {
		way[n++] = out;
		from = out->to;
	}
	out = nh_graph_out(g, from, NH_EDGE_HELD_BY, &nout);
	for (size_t i = 0; i < nout; i++) {
		const struct nh_process *holder = out[i].to.row;

		if (holder == p && nh_is_write_end(&out[i]))
			held = &out[i];
		else if (holder != p && holder->pid != t->pid && nh_is_write_end(&out[i]))
			return 0;
	}
	if (!held)
		return 0;
	way[n++] = held;
	return n;
}

static void tell_way(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_edge *first, const struct nh_edge *const way[], size_t n)
{
	nh_for(v, &f->victims)
		if (v->tid == ((const struct nh_thread *)first->from.row)->tid)
			return;
	nh_tell_link(a, f, g, first);
	for (size_t i = 0; i < n; i++)
		nh_tell_link(a, f, g, way[i]);
	nh_tell_victim(a, f, g, first->from.row);
}

/* Whoever polls several waits for any of them. */
static bool polls_alone(const struct nh_edge *e)
{
	return e->kind == NH_EDGE_POLLS && ((const struct nh_thread *)e->from.row)->waits.n == 1;
}

void nh_tell_dependants(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_process *p)
{
	nh_for(e, &g->edges) {
		const struct nh_edge *way[2];
		const struct nh_thread *t = e->from.row;
		size_t n;

		if (e->from.kind != NH_NODE_THREAD || t->pid == p->pid)
			continue;
		if ((e->kind == NH_EDGE_CHILD || e->kind == NH_EDGE_FILES) && e->to.row == p)
			tell_way(a, f, g, e, NULL, 0);
		else if ((e->kind == NH_EDGE_READS || polls_alone(e)) &&
			 (n = way_to(g, t, e->to, p, way)))
			tell_way(a, f, g, e, way, n);
	}
}
