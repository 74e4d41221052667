/*
 * gil-deadlock: the thread that holds the GIL waits for what needs a thread that wants it. That is
 * a cycle of facts where the wait tells its owner (a mutex, a join, the GIL itself); where it does
 * not, nobody who could end it is awake, or it is for the GPU or another rank, which may need the
 * others.  A holder that runs, or waits with a timeout, will give the GIL back: never convicted.
 */
#include "graph/cuda.h"
#include "graph/interpreter.h"
#include "rules/nccl.h"
#include "rules/reach.h"
#include "rules/role.h"
#include "graph/words.h"
#include "know/remote.h"

enum { CYCLE_MAX = 64, TOLD_MAX = 8 };

enum kind {
	NO_DEADLOCK,
	CYCLE,	    /* every arrow was read */
	NOBODY,	    /* nobody who could end the holder's wait is awake */
	MAYBE,	    /* only idle threads that wait for descriptors are */
	GPU,	    /* the holder waits for the GPU */
	OTHER_RANK, /* … for another rank */
};

/* The edges from the holder back to itself, the last one over the GIL; 0 = there is no cycle. */
static size_t cycle_of(
	const struct nh_graph *g, const struct nh_thread *holder, const struct nh_edge *edges[])
{
	static const enum nh_edge_kind kinds[] = { NH_EDGE_GIL, NH_EDGE_LOCKS, NH_EDGE_JOINS };
	const struct nh_thread *at = holder;

	for (size_t n = 0; n < CYCLE_MAX;) {
		struct nh_node node = { NH_NODE_THREAD, at };
		const struct nh_edge *e = NULL;
		size_t found;

		for (size_t i = 0; !e && i < sizeof(kinds) / sizeof(*kinds); i++)
			e = nh_graph_out(g, node, kinds[i], &found);
		if (!e)
			return 0;
		edges[n++] = e;
		at = e->to.row;
		if (at == holder)
			return e->kind == NH_EDGE_GIL ? n : 0;
	}
	return 0;
}

/* The innermost function of the holder's native call that waits for another rank. */
static const struct nh_frame *rank_wait(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);

	for (size_t i = 0; s && i < s->frames.n && !s->frames.v[i].python; i++)
		if (nh_waits_for_rank(&s->frames.v[i]))
			return &s->frames.v[i];
	return NULL;
}

/* Threads that only wait for descriptors may yet be told something; others that are awake work. */
static bool all_idle(const struct nh_graph *g, const struct nh_reach *r)
{
	for (size_t i = 0; i < r->nawake; i++) {
		struct nh_wait w = nh_graph_wait(g, r->awake[i]);

		if (!nh_role_of(g, r->awake[i]).idle && w.kind != NH_WAIT_POLL &&
			w.kind != NH_WAIT_EPOLL && w.kind != NH_WAIT_SELECT &&
			w.kind != NH_WAIT_ACCEPT)
			return false;
	}
	return true;
}

static bool others_want_it(const struct nh_interpreter *in)
{
	nh_for(tid, &in->waiters)
		if (*tid != in->holder)
			return true;
	return false;
}

static enum kind kind_of(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_interpreter *in = nh_gil_held_by(&g->ix, t);
	const struct nh_edge *edges[CYCLE_MAX];
	struct nh_cuda_call call;
	struct nh_reach reach;

	if (!in || !in->waiters.n || !nh_gil_stands_still(&g->ix, in))
		return NO_DEADLOCK;
	if (cycle_of(g, t, edges))
		return CYCLE;
	if (!others_want_it(in))
		return NO_DEADLOCK;
	call = nh_cuda_call_of(g, t);
	/* To allocate and to load code may take long by itself. */
	if (nh_cuda_syncs(call.kind) || call.kind == NH_CUDA_FREE)
		return GPU;
	if (rank_wait(g, t))
		return OTHER_RANK;
	if (t->running || !nh_index_process(&g->ix, t->pid))
		return NO_DEADLOCK;
	nh_reach_from(g, nh_index_process(&g->ix, t->pid), &reach);
	if (nh_reach_is_stuck(&reach))
		return NOBODY;
	return nh_waits_for_wake(g, t) && !reach.unseen && all_idle(g, &reach) ? MAYBE
									       : NO_DEADLOCK;
}

static bool is_cycle(const struct nh_graph *g, const struct nh_thread *t)
{
	return kind_of(g, t) == CYCLE;
}

static bool holder_waits(const struct nh_graph *g, const struct nh_thread *t)
{
	return kind_of(g, t) > CYCLE;
}

static void tell_waiters(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	bool links, struct nh_finding *f)
{
	size_t told = 0;

	nh_for(e, &m->g->edges) {
		if (e->kind != NH_EDGE_GIL || e->to.row != t || e->from.row == t ||
			told++ == TOLD_MAX)
			continue;
		if (links)
			nh_tell_link(a, f, m->g, e);
		nh_tell_victim(a, f, m->g, e->from.row);
	}
}

/* Whether both samples tell of the GIL that the thread holds. */
static bool seen_twice(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_interpreter *in = nh_gil_held_by(&g->ix, t);

	return in && nh_interpreter_elsewhen(&g->ix, in);
}

static void tell_cycle(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	struct nh_finding *f)
{
	const struct nh_edge *edges[CYCLE_MAX];
	size_t n = cycle_of(m->g, t, edges);

	f->title = n == 1 ? nh_arena_printf(a,
				    "thread %jd of pid %jd holds the GIL and waits to be given it",
				    (intmax_t)t->tid, (intmax_t)t->pid)
			  : nh_arena_printf(a,
				    "thread %jd of pid %jd holds the GIL and waits for a thread "
				    "that wants it",
				    (intmax_t)t->tid, (intmax_t)t->pid);
	for (size_t i = 0; i < n; i++) {
		nh_tell_link(a, f, m->g, edges[i]);
		/* Who wants the GIL is told below. */
		if (i && edges[i]->kind != NH_EDGE_GIL)
			nh_tell_victim(a, f, m->g, edges[i]->from.row);
		if (edges[i]->from.row != t)
			nh_tell_wait(a, f, m->g, edges[i]->from.row);
		/* Who wants the GIL wakes to ask anew: its counters rise. */
		if (edges[i]->kind != NH_EDGE_GIL)
			nh_tell_moved(a, f, m->g, edges[i]->from.row);
	}
	/* The runtime is read after the threads: one that was given the GIL meanwhile looks so. */
	if (n == 1 && !seen_twice(m->g, t))
		f->confidence = NH_POSSIBLE;
}

static void tell_conclusion(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	enum kind kind, struct nh_finding *f)
{
	struct nh_cuda_call call = nh_cuda_call_of(m->g, t);
	const struct nh_frame *wait = kind == GPU ? call.frame : rank_wait(m->g, t);
	const char *what = kind == GPU		? "the GPU"
			   : kind == OTHER_RANK ? "another rank"
						: "somebody to wake it";
	char name[256];

	f->title =
		nh_arena_printf(a, "thread %jd of pid %jd holds the GIL while it waits for %s; %s",
			(intmax_t)t->tid, (intmax_t)t->pid, what,
			kind == NOBODY ? "whoever could wants the GIL, or sleeps"
				       : "another thread wants the GIL");
	tell_waiters(a, m, t, true, f);
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, t), what, "waits for",
		wait ? nh_arena_printf(a, "%s is on its stack, and it gives the GIL to nobody",
			       nh_frame_base(wait, name, sizeof(name)))
		     : nh_arena_printf(a,
			       "%s; no mutex tells whom it waits for, and nobody who "
			       "was seen and could wake it is awake",
			       nh_state_words(a, &m->g->ix, t)),
		true };
	if (kind == MAYBE || !seen_twice(m->g, t))
		f->confidence = NH_POSSIBLE;
	else if (f->confidence > NH_LIKELY)
		f->confidence = NH_LIKELY;
	if (kind == MAYBE)
		nh_tell_unknown(
			a, f, "whether a native thread that waits for a descriptor will wake it");
	if (kind == GPU || kind == OTHER_RANK)
		nh_tell_unknown(a, f,
			"whether what it waits for needs a thread that wants the GIL; the stack "
			"was taken once");
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	const struct nh_interpreter *in = nh_gil_held_by(&m->g->ix, t);
	enum kind kind = kind_of(m->g, t);

	if (p) {
		nh_tell_culprit(a, f, m->g, p, NULL);
		f->culprit->tid = t->tid;
	}
	if (kind == CYCLE) {
		tell_cycle(a, m, t, f);
		tell_waiters(a, m, t, false, f);
	} else {
		tell_conclusion(a, m, t, kind, f);
	}
	nh_tell_wait(a, f, m->g, t);
	nh_tell_evidence(a, f, "%zu thread%s the GIL of interpreter %jd (Python %s)%s",
		in->waiters.n, in->waiters.n == 1 ? " wants" : "s want", (intmax_t)in->id,
		in->version ? in->version : "?",
		seen_twice(m->g, t)
			? nh_arena_printf(a,
				  "; between the samples it did not change hands (%jd switches in "
				  "both)",
				  (intmax_t)in->switches)
			: "");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f, "release it now: only ending the process does. Price: the process",
		p ? nh_kill_command(a, p) : NULL);
	nh_tell_remedy(a, f,
		"prevent it: let native code give the GIL away before it blocks (Py_BEGIN_ALLOW_"
		"THREADS, py::gil_scoped_release, ctypes.CDLL instead of PyDLL), and take it "
		"while holding no lock that its holder may want. Price: a change to the code on "
		"those stacks",
		NULL);
}

static const char *const refutes[] = {
	"the number of times the GIL changed hands goes up",
	"the holder's native call returns by itself",
	NULL,
};

static const char no_holder[] = "no thread that holds a GIL waits for one that wants it; a holder "
				"that runs, or waits with a timeout, gives it back";
static const char reports[] = "pytorch 97833, 104103, 119262; horovod 3352";

const struct nh_rule nh_rule_gil_cycle = {
	.id = "gil-deadlock",
	.pattern = { .begin = is_cycle, .no_begin = no_holder },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
	.covers = reports,
};

const struct nh_rule nh_rule_gil_wait = {
	.id = "gil-deadlock",
	.pattern = { .begin = holder_waits, .no_begin = no_holder },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.covers = reports,
};
