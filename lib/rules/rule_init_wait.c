/*
 * nccl-init-wait: a communicator is being made and a rank has not come.  The bootstrap root still
 * listens, or a rank waits for its neighbour to connect, or its own connection is not answered.
 */
#include "rules/nccl.h"
#include "graph/words.h"

/* Making a communicator takes a moment everywhere: younger than this it is only a suspicion. */
enum { PATIENCE_S = 5 };

static const struct nh_thread *find_root(const struct nh_graph *g, int64_t pid)
{
	size_t n;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, pid, &n);

	for (size_t i = 0; i < n; i++) {
		struct nh_wait w = nh_graph_wait(g, t[i]);

		/* In a stripped library: whoever of its threads blocks in accept. */
		if (nh_on_stack(g, t[i], NH_TD_ROOT) ||
			(nh_on_stack(g, t[i], NH_TD_UNNAMED) && w.kind == NH_WAIT_ACCEPT))
			return t[i];
	}
	return NULL;
}

/* A connection of the process that nobody has answered. */
static const struct nh_socket *unanswered(const struct nh_graph *g, int64_t pid)
{
	nh_for(fd, &g->ix.fds) {
		const struct nh_socket *s = (*fd)->pid == pid && (*fd)->inode > 0
						    ? nh_index_socket(&g->ix, (*fd)->inode)
						    : NULL;

		if (s && s->state == NH_TCP_SYN_SENT)
			return s;
	}
	return NULL;
}

static bool waits_in_init(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_on_stack(g, t, NH_TD_INIT) &&
	       (nh_on_stack(g, t, NH_TD_ACCEPT) || find_root(g, t->pid) || unanswered(g, t->pid));
}

/* How long the thread had existed when the case was taken, in seconds. */
static int64_t age_s(const struct nh_case *c, const struct nh_thread *t)
{
	if (c->uptime_ms == NH_UNKNOWN || c->ticks_per_s <= 0 || t->start == NH_UNKNOWN)
		return 0;
	return c->uptime_ms / 1000 - t->start / c->ticks_per_s;
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_case *c = m->g->ix.c;
	const struct nh_thread *t = m->path.start, *root = find_root(m->g, t->pid);
	const struct nh_socket *syn = unanswered(m->g, t->pid);
	struct nh_silhouette s = nh_silhouette_of(a, m->g, t);

	f->title = nh_arena_printf(a,
		"pid %jd is making a communicator and waits for a rank that has not come",
		(intmax_t)t->pid);
	nh_tell_evidence(
		a, f, "stack of thread %jd, innermost first: %s", (intmax_t)t->tid, s.frames);
	if (root) {
		struct nh_wait w = nh_graph_wait(m->g, root);

		nh_tell_evidence(a, f,
			"thread %jd is the bootstrap root and still there (%s): it ends once every rank "
			"has checked in",
			(intmax_t)root->tid, nh_wait_words(a, &w));
	}
	if (syn)
		nh_tell_evidence(
			a, f, "its connection to %s is not answered (SYN_SENT)", syn->remote);
	if (!root || age_s(c, root) < PATIENCE_S) {
		f->confidence = NH_POSSIBLE;
		nh_tell_unknown(a, f, "%s",
			root ? "it began only seconds ago: ranks may still be on their way"
			     : "how long it has waited, and for which rank: ask the rank that made "
			       "the unique id");
	}
	nh_tell_unknown(a, f, "which ranks have come: the root keeps no connection to them");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"look for the rank that is missing: on every host, whether it started, and what it "
		"does instead",
		"pdsh -w HOSTS ncclhang -f brief -v | dshbak -c");
	nh_tell_remedy(a, f,
		"check that hosts reach each other on the interface NCCL chose (NCCL_SOCKET_IFNAME), "
		"and that WORLD_SIZE is the number of ranks that were started",
		NULL);
}

static const char *const refutes[] = {
	"the call returns once the last rank has come",
	"every rank of the job is inside the same call",
	NULL,
};

const struct nh_rule nh_rule_init_wait = {
	.id = "nccl-init-wait",
	.pattern = { .begin = waits_in_init,
		.no_begin = "no thread waits for another rank while it makes a communicator" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.covers = "nccl 582, 914",
};
