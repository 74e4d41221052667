/*
 * interpreter-exit: a Python program has come to its end, and joins a thread or a child that nobody
 * will ever wake.  Which thread is joined is not recorded: any that is no daemon, so all of them
 * have to be in that state.  One that serves, sleeps or works may end: never convicted.
 */
#include "graph/interpreter.h"
#include "rules/nccl.h"
#include "rules/reach.h"
#include "graph/words.h"
#include "know/python_exit.h"
#include "know/sync.h"
#include "know/thread_roles.h"

enum { TOLD_MAX = 8 };

/* What the interpreter does at its end, by the innermost frame that tells; NULL = it runs the
 * program.  A forked child's stack goes on into its parent's, which does not count. */
static const char *stage_of(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);

	for (size_t i = 0; s && i < nh_own_frames(s); i++) {
		const char *words = nh_python_exit_words(&s->frames.v[i]);

		if (words)
			return words;
	}
	nh_for(in, &g->ix.c->interpreters)
		if (in->pid == t->pid && in->sample == g->ix.sample && in->finalizing)
			return "ends its runtime";
	return NULL;
}

static bool waits_for_child(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_graph_wait(g, t).kind == NH_WAIT_CHILD;
}

/* Of Python: it may have to wake whom the end waits for. */
static bool runs_python(const struct nh_graph *g, const struct nh_thread *t)
{
	nh_for(in, &g->ix.c->interpreters)
		if (in->pid == t->pid && in->sample == g->ix.sample)
			nh_for(tid, &in->threads)
				if (*tid == t->tid)
					return true;
	return false;
}

/* The end is not in sight: nobody is awake, or only native threads that wait for descriptors. */
static bool nobody_wakes(const struct nh_graph *g, const struct nh_reach *r)
{
	for (size_t i = 0; i < r->nawake; i++) {
		struct nh_wait w = nh_graph_wait(g, r->awake[i]);

		if (runs_python(g, r->awake[i]) ||
			(w.kind != NH_WAIT_POLL && w.kind != NH_WAIT_EPOLL &&
				w.kind != NH_WAIT_SELECT))
			return false;
	}
	return !r->unseen;
}

/* A futex, but no mutex with an owner and no thread that pthread_join names: those are not how
 * Python joins. */
static bool waits_in_lock(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n;

	return nh_waits_for_wake(g, t) && !nh_graph_out(g, node, NH_EDGE_LOCKS, &n) &&
	       !nh_graph_out(g, node, NH_EDGE_JOINS, &n);
}

/* Threads of Python besides the main one, and besides those of libraries, which are daemons. */
static size_t joined(const struct nh_graph *g, const struct nh_thread *t,
	const struct nh_thread *ret[], size_t max)
{
	size_t n, found = 0;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i] != t && runs_python(g, all[i]) && !nh_is_bystander(g, all[i]) &&
			found < max)
			ret[found++] = all[i];
	return found;
}

static bool ends_never(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	const struct nh_thread *others[1];
	struct nh_reach reach;

	if (t->tid != t->pid || !p || !stage_of(g, t))
		return false;
	if (!waits_for_child(g, t) && (!waits_in_lock(g, t) || !joined(g, t, others, 1)))
		return false;
	nh_reach_from(g, p, &reach);
	return nobody_wakes(g, &reach);
}

/* Where it is in the program: the innermost Python function that is not the library's. */
static const char *place(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);
	const struct nh_frame *at = NULL;

	for (size_t i = 0; s && i < nh_own_frames(s); i++) {
		const struct nh_frame *f = &s->frames.v[i];

		if (f->python &&
			(!at || (nh_python_frame_is_waiting(at) && !nh_python_frame_is_waiting(f))))
			at = f;
	}
	return at ? nh_arena_printf(a, "%s (%s line %jd)", at->func, at->file, (intmax_t)at->line)
		  : "a function that is not known";
}

static void tell_signals(struct nh_arena *a, const struct nh_reach *r, struct nh_finding *f)
{
	/* SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM; Python catches SIGINT by itself. */
	static const int signals[] = { 1, 10, 12, 14, 15 };

	for (size_t i = 0; i < r->n; i++)
		for (size_t j = 0; j < sizeof(signals) / sizeof(*signals); j++)
			if (r->processes[i]->caught >> (signals[j] - 1) & 1) {
				f->confidence = NH_POSSIBLE;
				nh_tell_unknown(a, f,
					"whether the handler that pid %jd has for signal %d would "
					"end the wait, and is meant to",
					(intmax_t)r->processes[i]->pid, signals[j]);
			}
}

static void tell_threads(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	struct nh_finding *f)
{
	const struct nh_thread *others[TOLD_MAX];
	size_t n = joined(m->g, t, others, TOLD_MAX);

	f->title = n == 1 ? nh_arena_printf(a,
				    "Python of pid %jd is at its end and joins thread %jd, which "
				    "waits in %s for what nobody will signal",
				    (intmax_t)t->pid, (intmax_t)others[0]->tid,
				    place(a, m->g, others[0]))
			  : nh_arena_printf(a,
				    "Python of pid %jd is at its end and joins one of %zu threads "
				    "that wait for what nobody will signal",
				    (intmax_t)t->pid, n);
	if (n == 1)
		f->culprit->tid = others[0]->tid;
	else
		nh_tell_unknown(a, f, "which of the threads is joined: those that are not daemons");
	for (size_t i = 0; i < n; i++) {
		*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, t),
			nh_name_thread(a, others[i]), "joins",
			nh_arena_printf(a,
				"the main thread %s, without a timeout; this is %s thread of Python, "
				"in %s",
				stage_of(m->g, t), n == 1 ? "the only other" : "one other",
				place(a, m->g, others[i])),
			true };
		nh_tell_wait(a, f, m->g, others[i]);
		if (nh_sync_of(nh_stack_of(m->g, others[i])).kind == NH_SYNC_NONE)
			nh_tell_unknown(a, f, "in which kind of lock thread %jd waits",
				(intmax_t)others[i]->tid);
	}
}

static void tell_children(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	const struct nh_reach *r, struct nh_finding *f)
{
	size_t n = 0;
	const struct nh_edge *e =
		nh_graph_out(m->g, (struct nh_node){ NH_NODE_THREAD, t }, NH_EDGE_CHILD, &n);
	const struct nh_process *child = n ? e->to.row : NULL;

	if (child)
		nh_tell_link(a, f, m->g, e);
	for (size_t i = 1; i < r->n; i++) {
		const struct nh_process *p = r->processes[i];
		const struct nh_thread *main = nh_index_thread(&m->g->ix, p->pid, p->pid);

		if (!main || (child ? p != child : p->ppid != t->pid))
			continue;
		child = p;
		nh_tell_culprit(a, f, m->g, p, NULL);
		nh_tell_evidence(a, f, "the main thread of pid %jd is in %s: %s", (intmax_t)p->pid,
			place(a, m->g, main), nh_state_words(a, &m->g->ix, main));
		nh_tell_wait(a, f, m->g, main);
		break;
	}
	f->title = nh_arena_printf(a,
		"Python of pid %jd is at its end and waits for its child %s, which waits for what "
		"nobody will do",
		(intmax_t)t->pid, child ? nh_name_process(a, child) : "process");
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	struct nh_reach reach = { 0 };

	nh_reach_from(m->g, p, &reach);
	nh_tell_culprit(a, f, m->g, p, NULL);
	if (waits_for_child(m->g, t))
		tell_children(a, m, t, &reach, f);
	else
		tell_threads(a, m, t, f);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_evidence(a, f,
		"%zu process%s could end that wait; in none of them a thread of Python runs, sleeps "
		"or serves",
		reach.n, reach.n == 1 ? "" : "es");
	tell_signals(a, &reach, f);
	nh_tell_unknown(a, f, "whether the stacks are a state or a moment: they were taken once");
	if (reach.nawake) {
		f->confidence = NH_POSSIBLE;
		nh_tell_unknown(a, f,
			"whether a native thread that waits for descriptors (%jd of pid %jd) will "
			"call Python",
			(intmax_t)reach.awake[0]->tid, (intmax_t)reach.awake[0]->pid);
	}
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"release it now: end what it waits for, else the process. Price: nothing is saved "
		"after this point",
		nh_kill_command(a, f->culprit->pid == p->pid
					   ? p
					   : nh_index_process(&m->g->ix, f->culprit->pid)));
	nh_tell_remedy(a, f,
		"prevent it: tell threads and children to stop before the program ends, or make "
		"them daemons. Price: daemons are cut off wherever they are",
		NULL);
}

static const char *const refutes[] = {
	"a thread that is joined moves on, or the child ends, by itself",
	"a process that is not in the case shares memory, a pipe or a socket with them",
	NULL,
};

const struct nh_rule nh_rule_exit = {
	.id = "interpreter-exit",
	.pattern = { .begin = ends_never,
		.no_begin = "no interpreter at its end waits for a thread or child that nobody can "
			    "wake; one that serves, sleeps or works ends when it is done" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.covers = "returnn 1497; marin 7304",
};
