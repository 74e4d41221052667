#include "rules/nccl.h"

#include "graph/words.h"
#include "base/str.h"
#include "know/nccl.h"

bool nh_nccl_is_service(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n;
	const struct nh_edge *e;

	if (!nh_nccl_service_shape(&w))
		return false;
	e = nh_graph_out(g, node, NH_EDGE_POLLS, &n);
	for (size_t i = 0; i < n; i++)
		if (e[i].wait->slot == w.nfds - 1)
			return e[i].to.kind == NH_NODE_SOCKET &&
			       ((const struct nh_socket *)e[i].to.row)->state == NH_TCP_LISTEN;
	return false;
}

bool nh_nccl_is_rank(const struct nh_graph *g, int64_t pid)
{
	size_t n;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, pid, &n);

	for (size_t i = 0; i < n; i++)
		if (nh_nccl_is_service(g, t[i]))
			return true;
	return false;
}

bool nh_nccl_is_mapped(const struct nh_graph *g, int64_t pid)
{
	nh_for(m, &g->ix.c->modules)
		if (m->pid == pid && m->path && nh_is_training_library(m->path))
			return true;
	return false;
}

bool nh_nccl_in_teardown(const struct nh_graph *g, int64_t pid)
{
	size_t n, joins;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, pid, &n);

	for (size_t i = 0; i < n; i++) {
		const struct nh_edge *e = nh_graph_out(
			g, (struct nh_node){ NH_NODE_THREAD, t[i] }, NH_EDGE_JOINS, &joins);

		for (size_t j = 0; j < joins; j++)
			if (nh_nccl_is_service(g, e[j].to.row))
				return true;
	}
	return false;
}

bool nh_nccl_tears_down(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_on_stack(g, t, NH_TD_ABORT) || nh_on_stack(g, t, NH_TD_DESTROY) ||
	       nh_on_stack(g, t, NH_TD_FINALIZE) || nh_on_stack(g, t, NH_TD_INNER);
}

bool nh_never_rests(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);

	return t->running || nh_streq(w.call, "sched_yield");
}

bool nh_has_not_moved(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_thread *old = nh_graph_other(g, t);

	return old && !old->running && !t->running && old->nr == t->nr && old->vcsw == t->vcsw &&
	       old->args.n == t->args.n && t->args.n && old->args.v[0] == t->args.v[0];
}

bool nh_nccl_joins_service(const struct nh_graph *g, const struct nh_path *p)
{
	return nh_nccl_is_service(g, nh_path_end(p).row);
}

bool nh_nccl_polls_live_peer(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_edge *e = p->edge[p->n - 1];
	const struct nh_socket *s = e->to.row;

	return e->to.kind == NH_NODE_SOCKET &&
	       e->wait->slot < nh_graph_wait(g, e->from.row).nfds - 1 &&
	       s->state == NH_TCP_ESTABLISHED;
}

bool nh_nccl_open_peer(const struct nh_graph *g, const struct nh_path *p)
{
	return ((const struct nh_socket *)nh_path_end(p).row)->state == NH_TCP_ESTABLISHED;
}

static const struct nh_edge *last_join(const struct nh_path *p)
{
	const struct nh_edge *e = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (p->edge[i]->kind == NH_EDGE_JOINS)
			e = p->edge[i];
	return e;
}

const struct nh_thread *nh_nccl_joined(const struct nh_path *p)
{
	return last_join(p)->to.row;
}

const struct nh_thread *nh_nccl_joiner(const struct nh_path *p)
{
	return last_join(p)->from.row;
}

void nh_nccl_tell_stacks(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *joiner = nh_nccl_joiner(&m->path), *svc = nh_nccl_joined(&m->path);
	struct nh_silhouette s = nh_silhouette_of(a, m->g, joiner);
	struct nh_silhouette loop = nh_silhouette_of(a, m->g, svc);

	if (s.frames)
		nh_tell_evidence(a, f, "stack of thread %jd, innermost first: %s",
			(intmax_t)joiner->tid, s.frames);
	if (s.caller && s.caller != joiner)
		nh_tell_evidence(a, f,
			"thread %jd called it and waits for the job that thread %jd runs",
			(intmax_t)s.caller->tid, (intmax_t)joiner->tid);
	if (loop.frames)
		nh_tell_evidence(a, f, "stack of thread %jd: %s", (intmax_t)svc->tid, loop.frames);
	if (loop.total && !loop.unnamed && !nh_on_stack(m->g, svc, NH_TD_SERVICE))
		nh_tell_evidence(a, f,
			"the stack of thread %jd does not name ncclProxyService: it was recognised by "
			"its poll set alone",
			(intmax_t)svc->tid);
	if (s.unnamed)
		nh_tell_evidence(a, f,
			"%jd of %jd frames of thread %jd have no name (a stripped library keeps its "
			"exports only); the chain above does not rest on names",
			(intmax_t)s.unnamed, (intmax_t)s.total, (intmax_t)joiner->tid);
}

void nh_tell_save(struct nh_arena *a, struct nh_finding *f, int64_t pid)
{
	nh_tell_remedy(a, f, "save the evidence first: it dies with the job",
		nh_arena_printf(
			a, "ncclhang -o case-%jd.json.zst %jd", (intmax_t)pid, (intmax_t)pid));
}

void nh_tell_search(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	nh_for(s, &m->g->ix.c->samples) {
		if (s->fds == NH_UNKNOWN || s->suspects_only)
			continue;
		nh_tell_evidence(a, f, "searched for holders: %jd descriptors of %jd processes%s",
			(intmax_t)s->fds, (intmax_t)s->walked,
			s->complete ? "" : " before time ran out");
		if (s->unreadable > 0)
			nh_tell_unknown(a, f,
				"%jd processes could not be searched: further holders are possible",
				(intmax_t)s->unreadable);
		return;
	}
}
