/*
 * fork-inherited-lock: a mutex is locked by a thread that this process does not have.  A fork
 * copies memory, locked mutexes included, but only the thread that called it. lock-cycle: threads
 * wait for each other's locks, on files too, or ends, or one for its own.
 */
#include "graph/edges.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "know/lock.h"

enum { CYCLE_MAX = 64, STEPS_MAX = 4096 };

static bool owner_is_missing(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_lock lock;

	return nh_lock_decode(t, &lock) && !lock.shared &&
	       !nh_index_thread_ns(&g->ix, t->pid, lock.owner);
}

/* What a blocked thread waits for without bound: somebody else's lock or end. */
static const enum nh_edge_kind blocking[] = { NH_EDGE_LOCKS, NH_EDGE_JOINS, NH_EDGE_FILES };

struct cycle {
	const struct nh_graph *g;
	const struct nh_thread *goal;
	const struct nh_edge *edges[CYCLE_MAX];
	size_t n, steps;
};

static bool is_blocked(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t n;

	for (size_t i = 0; i < sizeof(blocking) / sizeof(*blocking); i++)
		if (nh_graph_out(g, nh_thread_node(t), blocking[i], &n))
			return true;
	return false;
}

/*
 * Whether a process that has a file locked can be taken to be stuck with its blocked threads: which
 * thread would unlock is not recorded, so all the others have to stand still.  One that waits for
 * its own process's lock may wait for a thread that is at work.
 */
static bool stands_still(
	const struct nh_graph *g, const struct nh_process *p, const struct nh_thread *waiter)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, p->pid, &n);

	if (n == 1)
		return true;
	for (size_t i = 0; i < n; i++)
		if (waiter->pid == p->pid ||
			(!is_blocked(g, all[i]) && !nh_has_not_moved(g, all[i])))
			return false;
	return n;
}

static bool closes(struct cycle *c, const struct nh_thread *at);

static bool closes_by(struct cycle *c, const struct nh_edge *e)
{
	const struct nh_process *p = e->to.row;
	const struct nh_thread *const *all;
	size_t n;

	if (e->to.kind == NH_NODE_THREAD)
		return e->to.row == c->goal || closes(c, e->to.row);
	all = nh_index_threads(&c->g->ix, p->pid, &n);
	if (!stands_still(c->g, p, e->from.row))
		return false;
	for (size_t i = 0; i < n; i++)
		if (all[i] == c->goal || closes(c, all[i]))
			return true;
	return false;
}

/* Depth first; recursion is bounded by CYCLE_MAX, the whole by STEPS_MAX. */
static bool closes(struct cycle *c, const struct nh_thread *at)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->edges[i]->from.row == at)
			return false;
	for (size_t kind = 0; kind < sizeof(blocking) / sizeof(*blocking); kind++) {
		size_t n;
		const struct nh_edge *out =
			nh_graph_out(c->g, nh_thread_node(at), blocking[kind], &n);

		for (size_t i = 0; i < n; i++) {
			if (c->n == CYCLE_MAX || ++c->steps > STEPS_MAX)
				return false;
			c->edges[c->n++] = &out[i];
			if (closes_by(c, &out[i]))
				return true;
			c->n--;
		}
	}
	return false;
}

/* The cycle through a thread: its edges in order, *n of them; 0 = it is on none. */
static size_t cycle_of(
	const struct nh_graph *g, const struct nh_thread *t, const struct nh_edge *edges[CYCLE_MAX])
{
	struct cycle c = { .g = g, .goal = t };

	if (!closes(&c, t))
		return 0;
	for (size_t i = 0; i < c.n; i++)
		edges[i] = c.edges[i];
	return c.n;
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

static const char *cycle_title(
	struct nh_arena *a, const struct nh_thread *t, const struct nh_edge *const *edges, size_t n)
{
	size_t processes = 1;
	const char *what = "'s locks";

	for (size_t i = 0; i < n; i++)
		if (edges[i]->kind != NH_EDGE_LOCKS && edges[i]->kind != NH_EDGE_FILES)
			what = "";
	for (size_t i = 1; i < n; i++) {
		size_t j = 0;

		while (((const struct nh_thread *)edges[j]->from.row)->pid !=
			((const struct nh_thread *)edges[i]->from.row)->pid)
			j++;
		processes += j == i;
	}
	if (processes > 1)
		return nh_arena_printf(a, "%zu threads of %zu processes wait for each other%s", n,
			processes, what);
	if (n > 1)
		return nh_arena_printf(a, "%zu threads of pid %jd wait for each other%s", n,
			(intmax_t)t->pid, what);
	return nh_arena_printf(a, "thread %jd of pid %jd waits for a lock %s holds itself",
		(intmax_t)t->tid, (intmax_t)t->pid,
		edges[0]->kind == NH_EDGE_FILES ? "on a file that its process" : "it");
}

/* A lock on a file is its process's, not a thread's. */
static void tell_whose(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e, struct nh_finding *f)
{
	const struct nh_process *p = e->to.row;
	size_t n = 1;

	if (e->kind == NH_EDGE_FILES)
		nh_index_threads(&g->ix, p->pid, &n);
	if (n == 1)
		return;
	if (f->confidence > NH_LIKELY)
		f->confidence = NH_LIKELY;
	nh_tell_unknown(a, f,
		"which of the %zu threads of pid %jd would unlock the file: none of them moves", n,
		(intmax_t)p->pid);
}

static void tell_cycle(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *edges[CYCLE_MAX];
	const struct nh_thread *t = m->path.start;
	size_t n = cycle_of(m->g, t, edges);
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);

	f->title = cycle_title(a, t, edges, n);
	if (p)
		nh_tell_culprit(a, f, m->g, p, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct nh_edge *e = edges[i];
		const struct nh_thread *from = e->from.row;

		nh_tell_link(a, f, m->g, e);
		if (i)
			nh_tell_victim(a, f, m->g, from);
		nh_tell_wait(a, f, m->g, from);
		nh_tell_moved(a, f, m->g, from);
		tell_whose(a, m->g, e, f);
	}
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
	"a thread of the cycle waits with a timeout or an alarm, and gives up what it holds",
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
