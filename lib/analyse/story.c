#include "analyse/story.h"

#include <string.h>
#include "rules/role.h"
#include "rules/rule.h"
#include "graph/words.h"
#include "base/set.h"

enum { TOLD_MAX = 8 }; /* victims whose wait is told; the others are counted */

/* Who cannot go on as long as the finding stands. */
struct stuck {
	const struct nh_graph *g;
	struct nh_arena *a;
	struct nh_set threads, processes; /* by TID, by PID */
};

static bool is_stuck_thread(const struct stuck *s, const struct nh_thread *t)
{
	return nh_set_has(&s->threads, (uint64_t)t->tid);
}

static bool is_stuck_process(const struct stuck *s, const struct nh_process *p)
{
	return nh_set_has(&s->processes, (uint64_t)p->pid);
}

static void add_thread(struct stuck *s, int64_t pid, int64_t tid)
{
	nh_set_add(s->a, &s->threads, (uint64_t)tid);
	/* Whether another thread of it would do what is waited for, nobody can tell: a process is
	 * taken to be stuck with its main thread. */
	if (pid == tid)
		nh_set_add(s->a, &s->processes, (uint64_t)pid);
}

/* Whether a holder has the end of a pipe that the waiter's own is not; unknown counts as yes. */
static bool is_far_end(const struct nh_fd *own, const struct nh_fd *holder)
{
	return !own->mode || !holder->mode || strchr(holder->mode, *own->mode == 'w' ? 'r' : 'w');
}

/* Whether all who could act at the far end of this are stuck, somebody else among them. */
static bool only_stuck_can_act(const struct stuck *s, const struct nh_thread *t,
	struct nh_node node, const struct nh_fd *own)
{
	size_t n;
	const struct nh_edge *e;
	bool other = false;

	if (node.kind == NH_NODE_SOCKET) {
		e = nh_graph_out(s->g, node, NH_EDGE_PEER, &n);
		if (!e)
			return false;
		node = e->to;
	}
	e = nh_graph_out(s->g, node, NH_EDGE_HELD_BY, &n);
	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = e[i].to.row;

		if (p->pid == t->pid || (node.kind == NH_NODE_OBJECT && !is_far_end(own, e[i].fd)))
			continue;
		if (!is_stuck_process(s, p))
			return false;
		other = true;
	}
	return other;
}

/* What is there to be read has come: then it is not that which the thread waits for. */
static bool has_come(const struct nh_edge *e)
{
	const struct nh_socket *s = e->to.row;

	return e->to.kind == NH_NODE_SOCKET && s->rx_queue > 0;
}

/* A set of descriptors wakes its waiter by any one of them. */
static const struct nh_edge *waits_by_descriptor(const struct stuck *s, const struct nh_thread *t)
{
	static const enum nh_edge_kind kinds[] = { NH_EDGE_READS, NH_EDGE_POLLS };
	const struct nh_edge *told = NULL;
	size_t seen = 0;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t n;
		const struct nh_edge *e =
			nh_graph_out(s->g, (struct nh_node){ NH_NODE_THREAD, t }, kinds[k], &n);

		for (size_t i = 0; i < n; i++, seen++) {
			if (has_come(&e[i]) || !only_stuck_can_act(s, t, e[i].to, e[i].fd))
				return NULL;
			told = &e[i];
		}
	}
	return seen == t->waits.n ? told : NULL;
}

/* What makes the thread wait for somebody stuck; NULL = nothing does. */
static const struct nh_edge *waits_for_stuck(const struct stuck *s, const struct nh_thread *t)
{
	static const enum nh_edge_kind kinds[] = { NH_EDGE_JOINS, NH_EDGE_LOCKS, NH_EDGE_GIL,
		NH_EDGE_CHILD };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t n;
		const struct nh_edge *e =
			nh_graph_out(s->g, (struct nh_node){ NH_NODE_THREAD, t }, kinds[k], &n);

		if (e && (e->to.kind == NH_NODE_THREAD ? is_stuck_thread(s, e->to.row)
						       : is_stuck_process(s, e->to.row)))
			return e;
	}
	return waits_by_descriptor(s, t);
}

static bool is_bystander(const struct stuck *s, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&s->g->ix, t->pid);

	return !p || p->why == NH_WHY_ANCESTOR || nh_is_idle_by_design(s->g, t);
}

static void tell(struct stuck *s, struct nh_finding *f, const struct nh_edge *e, size_t *told)
{
	const struct nh_thread *t = e->from.row;

	nh_tell_victim(s->a, f, s->g, t);
	if (++*told <= TOLD_MAX)
		nh_tell_evidence(s->a, f, "held up by it: %s %s %s: %s", nh_name_thread(s->a, t),
			nh_edge_name(e->kind), nh_name_node(s->a, e->to),
			nh_edge_fact(s->a, s->g, e));
}

static void spread(struct nh_case *c, const struct nh_graph *g, struct nh_finding *f)
{
	struct stuck s = { .g = g, .a = c->arena };
	size_t told = 0;

	if (f->culprit && f->culprit->pid != NH_UNKNOWN)
		nh_set_add(s.a, &s.processes, (uint64_t)f->culprit->pid);
	nh_for(v, &f->victims)
		if (v->tid != NH_UNKNOWN)
			add_thread(&s, v->pid, v->tid);
	for (bool more = true; more;) {
		more = false;
		nh_for(t, &g->ix.threads) {
			const struct nh_edge *e =
				is_stuck_thread(&s, *t) ? NULL : waits_for_stuck(&s, *t);

			if (!e || is_bystander(&s, *t))
				continue;
			add_thread(&s, (*t)->pid, (*t)->tid);
			tell(&s, f, e, &told);
			more = true;
		}
	}
	if (told > TOLD_MAX)
		nh_tell_evidence(s.a, f, "%zu more threads are held up by these", told - TOLD_MAX);
}

void nh_story(struct nh_case *c, const struct nh_graph *g, size_t first)
{
	for (size_t i = first; i < c->verdict.findings.n; i++)
		if (c->verdict.findings.v[i].confidence >= NH_LIKELY)
			spread(c, g, &c->verdict.findings.v[i]);
}
