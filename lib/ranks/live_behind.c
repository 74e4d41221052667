/*
 * Behind a rank that does not come: processes it waits for, a DataLoader's workers for one, that
 * are not idle.  Which of them owes it something is not known.
 */
#include "rules/data_wait.h"
#include "ranks/live_rules.h"
#include "rules/standing.h"

enum { TOLD_MAX = 3 };

struct behind {
	struct nh_live_job *job;
	struct nh_finding *f;
	const struct nh_live_rank *rank;
	const struct nh_process *told[TOLD_MAX];
	int ntold;
	const char *first; /* in words */
};

static const struct nh_thread *main_thread(const struct nh_graph *g, const struct nh_process *p)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, p->pid, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i]->tid == p->pid)
			return all[i];
	return NULL;
}

static const char *doing(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_thread_stand s = nh_thread_stands(a, g, t);
	const char *what = nh_standing_word(s.standing);

	if (s.standing != NH_STILL && s.standing != NH_MOVES && s.standing != NH_AWAITS)
		return NULL;
	if (s.whom)
		what = nh_arena_printf(a, "waits for %s", s.whom);
	return nh_arena_printf(a, "%s%s%s%s: %s", s.role ? nh_arena_printf(a, "%s, ", s.role) : "",
		what, s.where ? " in " : "", s.where ? s.where : "", nh_state_words(a, &g->ix, t));
}

static bool is_told(const struct behind *b, const struct nh_process *p)
{
	for (int i = 0; i < b->ntold; i++)
		if (b->told[i] == p)
			return true;
	return b->ntold == TOLD_MAX;
}

/* Parents give ranks pipes to live by; they owe them nothing. */
static bool is_ancestor(const struct nh_graph *g, const struct nh_process *p, int64_t pid)
{
	const struct nh_process *at = nh_index_process(&g->ix, pid);

	for (int depth = 0; at && depth < 64; depth++) {
		if (at == p)
			return true;
		at = nh_index_process(&g->ix, at->ppid);
	}
	return false;
}

/* The links from the rank's thread to one process, and what that one does. */
static void tell(
	struct behind *b, const struct nh_edge *const *links, size_t n, const struct nh_process *p)
{
	struct nh_arena *a = b->job->a;
	const struct nh_graph *g = b->rank->g;
	const struct nh_thread *t = is_ancestor(g, p, b->rank->p->pid) ? NULL : main_thread(g, p);
	const char *what = t && !is_told(b, p) ? doing(a, g, t) : NULL;

	if (!what)
		return;
	for (size_t i = 0; i < n; i++)
		nh_tell_link(a, b->f, g, links[i]);
	what = nh_arena_printf(a, "it waits for %s: %s", nh_name_process(a, p), what);
	*nh_push(a, &b->f->evidence) = what;
	b->first = b->first ? b->first : what;
	b->told[b->ntold++] = p;
}

/* Whoever holds the other end of a descriptor that it waits on. */
static void follow(struct behind *b, const struct nh_edge *e)
{
	const struct nh_graph *g = b->rank->g;
	const struct nh_edge *links[3] = { e };
	size_t n = 1, holders;
	struct nh_node node = e->to;

	if (node.kind == NH_NODE_SOCKET) {
		size_t peers;

		links[n] = nh_graph_out(g, node, NH_EDGE_PEER, &peers);
		if (!links[n])
			return;
		node = links[n++]->to;
	}

	const struct nh_edge *held = nh_graph_out(g, node, NH_EDGE_HELD_BY, &holders);

	for (size_t i = 0; i < holders; i++) {
		links[n] = &held[i];
		if (nh_is_write_end(&held[i]))
			tell(b, links, n + 1, held[i].to.row);
	}
}

const char *nh_live_tell_behind(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r)
{
	static const enum nh_edge_kind kinds[] = { NH_EDGE_READS, NH_EDGE_POLLS };
	struct behind b = { .job = job, .f = f, .rank = r };
	struct nh_node node = { NH_NODE_THREAD, r->t };
	size_t n;
	const struct nh_edge *e = nh_graph_out(r->g, node, NH_EDGE_CHILD, &n);

	for (size_t i = 0; i < n; i++) {
		const struct nh_edge *link = &e[i];

		tell(&b, &link, 1, link->to.row);
	}
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		e = nh_graph_out(r->g, node, kinds[k], &n);
		for (size_t i = 0; i < n; i++)
			follow(&b, &e[i]);
	}
	return b.first;
}
