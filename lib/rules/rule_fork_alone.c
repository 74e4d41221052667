/*
 * fork-inherited-lock where no owner can be read: a child of a fork waits on a futex that nobody
 * can wake.  Such a futex belongs to its process alone, and the process has one thread.  Locks of
 * the allocator, of C++, Rust and OpenMP libraries are like that, and pools whose threads the fork
 * did not copy.
 */
#include "rules/nccl.h"
#include "graph/words.h"
#include "know/mutex.h"
#include "know/sync.h"
#include "know/thread_roles.h"

enum {
	PF_FORKNOEXEC = 0x40, /* the kernel's include/linux/sched.h */
	FUTEX_PRIVATE = 128,
	LOCKED_WITH_WAITERS = 2,
};

/* Signals whose handlers wake nobody by design: those of faults, and glibc's own. */
static const int harmless[] = { 2, 4, 5, 6, 7, 8, 11, 31, 32, 33 };

static uint64_t handlers(const struct nh_graph *g, const struct nh_process *p)
{
	enum { SIGCHLD_BIT = 16 };
	uint64_t mask = p->caught;
	bool parent = false;

	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		mask &= ~(1ULL << (harmless[i] - 1));
	nh_for(child, &g->ix.processes)
		parent |= (*child)->ppid == p->pid;
	return parent ? mask : mask & ~(1ULL << SIGCHLD_BIT);
}

/* The process was made by a fork, and never became another program; the thread is its only one, in
 * a wait for ever that no other process can end. */
static bool is_alone(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	struct nh_wait w = nh_graph_wait(g, t);
	size_t n;

	nh_index_threads(&g->ix, t->pid, &n);
	return p && n == 1 && p->nthreads == 1 && p->flags != NH_UNKNOWN &&
	       p->flags & PF_FORKNOEXEC && w.kind == NH_WAIT_FUTEX && w.timeout_ms == -1 &&
	       w.futex_op != NH_UNKNOWN && w.futex_op & FUTEX_PRIVATE;
}

/* Threads the parent has now; NH_UNKNOWN where it has ended or was not seen. */
static int64_t parent_threads(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	const struct nh_process *parent = p ? nh_index_process(&g->ix, p->ppid) : NULL;

	return parent && parent->pid > 1 ? parent->nthreads : NH_UNKNOWN;
}

/* threading.Event().wait() and its like are a way to sleep until a signal comes. */
static bool waits_in_python(const struct nh_stack *s)
{
	nh_for(f, &s->frames)
		if (f->python)
			return nh_frame_is_one_of(f, "wait@threading.py");
	return false;
}

/*
 * A lock is given back by a thread, and there is none.  What waits to be woken may be meant to wait
 * until the process is told to end; so there the parent's threads have to be seen, and a library
 * whose threads they were.
 */
static bool nobody_can_wake(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);
	struct nh_wait w = nh_graph_wait(g, t);
	struct nh_sync is;
	struct nh_mutex m;

	/* One with an owner is told by that. */
	if (!is_alone(g, t) || nh_mutex_decode(t, &m))
		return false;
	is = nh_sync_of(s);
	if (!s)
		return nh_mutex_is_wait(&w) && w.futex_val == LOCKED_WITH_WAITERS;
	if (waits_in_python(s) || handlers(g, nh_index_process(&g->ix, t->pid)))
		return is.kind == NH_SYNC_LOCK && nh_mutex_is_wait(&w);
	if (is.kind == NH_SYNC_LOCK || (!is.kind && nh_mutex_is_wait(&w)))
		return true;
	return is.pool && parent_threads(g, t) > 1;
}

static void tell_parent(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_process *p = nh_index_process(&m->g->ix, m->path.start->pid);
	int64_t n = parent_threads(m->g, m->path.start);

	if (n > 1)
		nh_tell_evidence(a, f,
			"its parent, pid %jd, has %jd threads; a fork copies only the one that calls it",
			(intmax_t)p->ppid, (intmax_t)n);
	else
		nh_tell_unknown(a, f,
			"whether the process it was forked from had other threads then: %s",
			n == 1 ? "its parent has one now" : "that one has ended, or was not seen");
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	struct nh_wait w = nh_graph_wait(m->g, t);
	struct nh_sync is = nh_sync_of(nh_stack_of(m->g, t));
	const char *what = is.kind ? is.what : "a futex";

	f->title =
		is.pool && is.kind != NH_SYNC_LOCK
			? nh_arena_printf(a,
				  "pid %jd, made by a fork, waits for threads of %s that it does not have",
				  (intmax_t)t->pid, is.pool)
			: nh_arena_printf(a,
				  "pid %jd, made by a fork, waits for a lock that none of its threads can "
				  "release: it has no other",
				  (intmax_t)t->pid);
	nh_tell_culprit(a, f, m->g, p, NULL);
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, t),
		nh_arena_printf(a, "a thread that pid %jd does not have", (intmax_t)t->pid),
		nh_edge_name(NH_EDGE_LOCKS),
		nh_arena_printf(a,
			"%s: futex(0x%jx, op 0x%jx) has no timeout and is private to this process, which "
			"has one thread and was forked without exec",
			what, (uintmax_t)w.addr, (uintmax_t)w.futex_op),
		true };
	tell_parent(a, m, f);
	nh_tell_unknown(a, f, "who had the lock: %s has no owner in memory", what);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_moved(a, f, m->g, t);
	nh_tell_save(a, f, t->pid);
	nh_tell_fork_remedies(a, f, p);
}

static const char *const refutes[] = {
	"the wait ends although the process has no other thread that could wake it",
	"a signal handler of the process wakes it, or a process that shares its memory (vfork, "
	"CLONE_VM)",
	NULL,
};

const struct nh_rule nh_rule_fork_alone = {
	.id = "fork-inherited-lock",
	.pattern = { .begin = nobody_can_wake,
		.no_begin = "no thread waits for a lock whose owner is missing" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.covers = "pytorch 75147; grpc 38020; tokenizers 258; ray 25348",
};
