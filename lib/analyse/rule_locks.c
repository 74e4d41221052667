/*
 * fork-inherited-lock: a mutex is locked by a thread that this process does not have.  A fork
 * copies memory, locked mutexes included, but only the thread that called it. lock-cycle: threads
 * wait for each other's mutexes or ends, or one for its own.
 */
#include "analyse/nccl.h"
#include "analyse/words.h"
#include "know/lock.h"

enum { CYCLE_MAX = 64 };

static bool owner_is_missing(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_lock lock;

	return nh_lock_decode(t, &lock) && !lock.shared &&
	       !nh_index_thread_ns(&g->ix, t->pid, lock.owner);
}

/* The one thing a blocked thread waits for: a lock or another thread's end. */
static const struct nh_edge *blocking_edge(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n;
	const struct nh_edge *e = nh_graph_out(g, node, NH_EDGE_LOCKS, &n);

	return e ? e : nh_graph_out(g, node, NH_EDGE_JOINS, &n);
}

/* The cycle through a thread: its edges in order, *n of them; 0 = it is on none. */
static size_t cycle_of(
	const struct nh_graph *g, const struct nh_thread *t, const struct nh_edge *edges[CYCLE_MAX])
{
	const struct nh_thread *at = t;

	for (size_t n = 0; n < CYCLE_MAX;) {
		const struct nh_edge *e = blocking_edge(g, at);

		if (!e)
			return 0;
		edges[n++] = e;
		at = e->to.row;
		if (at == t)
			return n;
	}
	return 0;
}

/* Each cycle once: told from its thread with the lowest TID. */
static bool leads_a_cycle(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_edge *edges[CYCLE_MAX];
	size_t n = cycle_of(g, t, edges);

	for (size_t i = 0; i < n; i++)
		if (((const struct nh_thread *)edges[i]->from.row)->tid < t->tid)
			return false;
	return n;
}

static void tell_cycle(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *edges[CYCLE_MAX];
	const struct nh_thread *t = m->path.start;
	size_t n = cycle_of(m->g, t, edges);
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);

	f->title = n == 1 ? nh_arena_printf(a,
				    "thread %jd of pid %jd waits for a lock it holds itself",
				    (intmax_t)t->tid, (intmax_t)t->pid)
			  : nh_arena_printf(a, "%zu threads of pid %jd wait for each other", n,
				    (intmax_t)t->pid);
	if (p)
		nh_tell_culprit(a, f, m->g, p, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct nh_edge *e = edges[i];
		const struct nh_thread *from = e->from.row;

		nh_tell_link(a, f, m->g, e);
		if (i)
			nh_tell_victim(a, f, m->g, from);
		nh_tell_wait(a, f, m->g, from);
	}
	nh_tell_moved(a, f, m->g, t);
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f, "release it now: only ending the process does. Price: the process",
		p ? nh_kill_command(a, p) : NULL);
	nh_tell_remedy(a, f,
		"prevent it: take the locks in one order everywhere, and join no thread while holding "
		"a lock it wants. Price: a change to the code on those stacks",
		NULL);
}

/* Whose thread the owner was: the parent's, by the parent's threads, or nobody's that still lives.
 */
static const char *owner_words(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_process *p, int64_t owner)
{
	const struct nh_process *parent = p ? nh_index_process(&g->ix, p->ppid) : NULL;

	if (parent && nh_index_thread_ns(&g->ix, parent->pid, owner))
		return nh_arena_printf(a, "a thread of its parent, %s", nh_name_process(a, parent));
	if (parent && parent->nspid.n && parent->nspid.v[parent->nspid.n - 1] == owner)
		return nh_arena_printf(
			a, "the main thread of its parent, %s", nh_name_process(a, parent));
	return "no thread that was seen: of the parent at the time of the fork, or one of its own that "
	       "ended with the lock held";
}

static void tell_fork(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	struct nh_lock lock;

	if (!nh_lock_decode(t, &lock))
		return;
	f->title = nh_arena_printf(a,
		"thread %jd of pid %jd waits for a lock whose owner is no thread of this process",
		(intmax_t)t->tid, (intmax_t)t->pid);
	if (p)
		nh_tell_culprit(a, f, m->g, p, NULL);
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, t),
		nh_arena_printf(a, "thread %jd, which pid %jd does not have", (intmax_t)lock.owner,
			(intmax_t)t->pid),
		nh_edge_name(NH_EDGE_LOCKS),
		nh_arena_printf(a, "%s at 0x%jx: its owner word is %jd", lock.what,
			(uintmax_t)lock.addr, (intmax_t)lock.owner),
		false };
	nh_tell_evidence(
		a, f, "TID %jd is %s", (intmax_t)lock.owner, owner_words(a, m->g, p, lock.owner));
	nh_tell_wait(a, f, m->g, t);
	nh_tell_moved(a, f, m->g, t);
	nh_tell_save(a, f, t->pid);
	nh_tell_fork_remedies(a, f, p);
}

void nh_tell_fork_remedies(struct nh_arena *a, struct nh_finding *f, const struct nh_process *p)
{
	nh_tell_remedy(a, f,
		"release it now by ending the process that waits (checks PID and start time first): "
		"nobody can unlock it. Price: that process",
		p ? nh_kill_command(a, p) : NULL);
	nh_tell_remedy(a, f,
		"prevent it: fork before threads exist, start workers with spawn or forkserver, or "
		"call nothing but async-signal-safe functions between fork and exec. Price: a slower "
		"start and picklable arguments",
		NULL);
}

static const char *const fork_refutes[] = {
	"the wait ends although the process has no other thread that could unlock",
	"the lock is shared between processes",
	NULL,
};

static const char *const cycle_refutes[] = {
	"one of the threads moves on by itself",
	"a thread of the cycle waits with a timeout and gives up what it holds",
	NULL,
};

const struct nh_rule nh_rule_fork_lock = {
	.id = "fork-inherited-lock",
	.pattern = { .begin = owner_is_missing,
		.no_begin = "no thread waits for a lock whose owner is missing" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_fork,
	.refutes = fork_refutes,
};

const struct nh_rule nh_rule_lock_cycle = {
	.id = "lock-cycle",
	.pattern = { .begin = leads_a_cycle,
		.no_begin = "no threads wait for each other's locks or ends" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_cycle,
	.refutes = cycle_refutes,
};
