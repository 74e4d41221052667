/*
 * nccl-teardown-peer-rank: the service thread may not leave while a peer is connected, and the peer
 * is another live rank that has not closed its end: one that is not tearing down at all, or one
 * that waits for us in turn.
 */
#include "rules/nccl.h"
#include "rules/nccl_version.h"
#include "graph/words.h"

static bool other_rank(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_process *holder = nh_path_end(p).row;

	return holder->pid != nh_nccl_joined(p)->pid && nh_nccl_is_rank(g, holder->pid);
}

/* Whether a live peer of any service thread of `pid` is held by `other`. */
static bool waits_for(const struct nh_graph *g, int64_t pid, int64_t other)
{
	nh_for(e, &g->edges) {
		const struct nh_thread *t = e->from.row;
		const struct nh_socket *s = e->to.row, *far;
		size_t n;
		const struct nh_edge *h;

		if (e->kind != NH_EDGE_POLLS || e->to.kind != NH_NODE_SOCKET || t->pid != pid ||
			s->state != NH_TCP_ESTABLISHED)
			continue;
		far = nh_index_peer(&g->ix, s);
		h = far ? nh_graph_out(
				  g, (struct nh_node){ NH_NODE_SOCKET, far }, NH_EDGE_HELD_BY, &n)
			: NULL;
		for (size_t i = 0; h && i < n; i++)
			if (((const struct nh_process *)h[i].to.row)->pid == other)
				return true;
	}
	return false;
}

/* What the rank that is waited for does instead. */
static void tell_occupation(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *peer, struct nh_finding *f)
{
	const struct nh_thread *main = nh_index_thread(&m->g->ix, peer->pid, peer->pid);
	const struct nh_stack *s = main ? nh_stack_of(m->g, main) : NULL;
	struct nh_wait w;

	if (!main)
		return;
	w = nh_graph_wait(m->g, main);
	nh_tell_evidence(a, f, "main thread of pid %jd: %s%s%s", (intmax_t)peer->pid,
		main->running ? "running" : nh_wait_words(a, &w),
		s ? "; stack, innermost first: " : "",
		s && s->frames.n ? nh_stack_words(a, s, 0, s->frames.n - 1) : "");
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = nh_path_edge(&m->path, NH_EDGE_HELD_BY);
	const struct nh_process *peer = held->to.row;
	int64_t victim = nh_nccl_joined(&m->path)->pid;
	bool tears = nh_nccl_in_teardown(m->g, peer->pid);
	bool cycle = tears && waits_for(m->g, peer->pid, victim);

	f->title = nh_arena_printf(a,
		cycle	? "NCCL teardowns of pid %jd and %s wait for each other"
		: tears ? "NCCL teardown of pid %jd waits for that of %s"
			: "NCCL teardown of pid %jd waits for %s, a live rank that is not tearing down",
		(intmax_t)victim, nh_name_process(a, peer));
	nh_tell_culprit(a, f, m->g, peer, held->fd);
	nh_nccl_tell_stacks(a, m, f);
	nh_tell_evidence(a, f,
		"pid %jd has a proxy service thread of its own: it is a rank, no helper",
		(intmax_t)peer->pid);
	tell_occupation(a, m, peer, f);
	nh_nccl_tell_known(a, m->g, victim, f);
	nh_for(p, &m->also) {
		const struct nh_edge *h = nh_path_edge(p, NH_EDGE_HELD_BY);

		nh_tell_evidence(a, f, "also waits for %s: %s", nh_name_node(a, h->to),
			nh_edge_fact(a, m->g, h));
	}
	nh_tell_search(a, m, f);
	nh_tell_save(a, f, victim);
	if (!tears)
		nh_tell_remedy(a, f,
			"look at the rank that is waited for: what keeps it from here?",
			nh_arena_printf(a, "ncclhang %jd", (intmax_t)peer->pid));
	nh_tell_remedy(a, f,
		"release it now by ending that rank (checks PID and start time first). Price: the job",
		nh_kill_command(a, peer));
	nh_tell_remedy(a, f,
		"prevent it: every local rank has to abort, and several communicators in one order "
		"everywhere or in one group (NCCL 2.22 or later). Price: a change to the error path",
		NULL);
}

static const struct nh_step steps[] = {
	NH_STEPS_TO_PEER,
	{ NH_EDGE_HELD_BY, false, other_rank, "no other live rank holds the other end" },
};

static const char *const refutes[] = {
	"the rank that is waited for closes its end and the wait goes on",
	"the rank that is waited for has ended already",
	NULL,
};

const struct nh_rule nh_rule_peer_rank = {
	.id = "nccl-teardown-peer-rank",
	.pattern = { .steps = steps, .nsteps = sizeof(steps) / sizeof(*steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
	.covers = "nccl 863, 1013, 1777; pytorch 114396, 119215",
};
