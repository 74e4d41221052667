/*
 * cuda-lock: threads of one process are in each other's way inside the CUDA driver.  One waits for
 * the driver's lock while its holder waits for the GPU; a call that waits for the GPU by the way
 * (free, load) keeps back work that other threads wait for; a blocking launch of a collective keeps
 * back what makes it end.  What a thread is in is told by its stack, which is taken once: never
 * more than likely.
 */
#include "graph/cuda.h"
#include "rules/nccl.h"
#include "rules/reach.h"
#include "graph/words.h"
#include "base/str.h"
#include "know/sync.h"
#include "know/thread_roles.h"

enum { TOLD_MAX = 8 };

/* Whether it waits for the GPU, on purpose or by the way. */
static bool waits_for_gpu(enum nh_cuda_kind kind)
{
	return nh_cuda_syncs(kind) || nh_cuda_syncs_by_the_way(kind);
}

/* As far as the samples tell, it is in the same call all the time: it never rests and never let go
 * of its CPU by itself, or blocks and did not move. */
static bool persists(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_thread *old = nh_graph_other(g, t);

	if (old && nh_never_rests(g, old) && nh_never_rests(g, t))
		return old->vcsw == t->vcsw;
	return g->ix.c->samples.n < 2 || nh_has_not_moved(g, t);
}

/* Blocks in the driver, in a lock, and was not given it between the samples. */
static bool wants_lock(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);

	return s && nh_cuda_call_of(g, t).driver && nh_waits_for_wake(g, t) &&
	       nh_sync_of(s).kind == NH_SYNC_LOCK && persists(g, t);
}

static bool owner_waits_for_gpu(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_thread *t = nh_path_end(p).row;

	return waits_for_gpu(nh_cuda_call_of(g, t).kind) && !wants_lock(g, t) && persists(g, t);
}

/* Threads of t's process that wait for the GPU on purpose, other than t; at most max of them. */
static size_t syncing(const struct nh_graph *g, const struct nh_thread *t,
	const struct nh_thread *ret[], size_t max)
{
	size_t n, found = 0;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);

	for (size_t i = 0; i < n && found < max; i++)
		if (all[i] != t && nh_cuda_syncs(nh_cuda_call_of(g, all[i]).kind) &&
			!wants_lock(g, all[i]) && persists(g, all[i]))
			ret[found++] = all[i];
	return found;
}

/* Each process once: by the first of its threads that is so. */
static bool is_first(const struct nh_graph *g, const struct nh_thread *t,
	bool (*is_so)(const struct nh_graph *g, const struct nh_thread *t))
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);

	if (!is_so(g, t))
		return false;
	for (size_t i = 0; i < n && all[i] != t; i++)
		if (is_so(g, all[i]))
			return false;
	return true;
}

static bool wants_unknown(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_thread *one[1];
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n;

	return wants_lock(g, t) && !nh_graph_out(g, node, NH_EDGE_LOCKS, &n) &&
	       syncing(g, t, one, 1);
}

static bool first_unknown(const struct nh_graph *g, const struct nh_thread *t)
{
	return is_first(g, t, wants_unknown);
}

static bool keeps_others(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_thread *one[1];

	return nh_cuda_syncs_by_the_way(nh_cuda_call_of(g, t).kind) && !wants_lock(g, t) &&
	       persists(g, t) && syncing(g, t, one, 1);
}

static bool first_keeper(const struct nh_graph *g, const struct nh_thread *t)
{
	return is_first(g, t, keeps_others);
}

static bool launches_are_blocking(const struct nh_graph *g, int64_t pid)
{
	const struct nh_process *p = nh_index_process(&g->ix, pid);

	if (p)
		nh_for(e, &p->env)
			if (nh_streq(*e, "CUDA_LAUNCH_BLOCKING=1"))
				return true;
	return false;
}

static bool launches_collective(const struct nh_graph *g, const struct nh_thread *t)
{
	static const char launchers[] =
		"ncclLaunchKernel|ncclStrongStreamLaunchKernel|doLaunches|"
		"groupLaunch|ncclGroupEndInternal|ncclGroupEnd|pncclGroupEnd";
	const struct nh_stack *s = nh_stack_of(g, t);

	if (!s || nh_cuda_call_of(g, t).kind != NH_CUDA_LAUNCH ||
		!launches_are_blocking(g, t->pid) || !persists(g, t))
		return false;
	nh_for(f, &s->frames)
		if (nh_frame_is_one_of(f, launchers))
			return true;
	return false;
}

static const char *call_words(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_cuda_call call = nh_cuda_call_of(g, t);
	char name[256];

	return call.frame ? nh_arena_printf(a, "%s, which %s",
				    nh_frame_base(call.frame, name, sizeof(name)),
				    nh_cuda_word(call.kind))
			  : "the driver, in a function without a known name";
}

static void tell_culprit(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t,
	const struct nh_thread *culprit, struct nh_finding *f)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	if (!p)
		return;
	nh_tell_culprit(a, f, g, p, NULL);
	f->culprit->tid = culprit ? culprit->tid : NH_UNKNOWN;
}

static void tell_rest(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t,
	const char *prevent, struct nh_finding *f)
{
	if (g->ix.c->samples.n < 2)
		f->confidence = NH_POSSIBLE;
	nh_tell_unknown(a, f, "stacks were taken once: whether this is a state or a moment");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"find the kernel that does not end: a collective that another rank or another "
		"thread of this process never joined",
		NULL);
	nh_tell_remedy(a, f, prevent, NULL);
}

static const char one_thread[] =
	"prevent it: let one thread make all calls of a device, and call nothing that allocates, "
	"frees or loads while collectives are in flight (load kernels before: "
	"CUDA_MODULE_LOADING=EAGER). Price: a slower start, a change to the code on those stacks";

static void tell_owner(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start, *owner = nh_path_end(&m->path).row;

	f->title = nh_arena_printf(a,
		"threads of pid %jd wait for a lock of the CUDA driver whose holder, thread %jd, is in "
		"%s",
		(intmax_t)t->pid, (intmax_t)owner->tid, call_words(a, m->g, owner));
	tell_culprit(a, m->g, t, owner, f);
	nh_tell_wait(a, f, m->g, t);
	nh_for(other, &m->also)
		nh_tell_victim(a, f, m->g, other->start);
	nh_tell_wait(a, f, m->g, owner);
	tell_rest(a, m->g, t, one_thread, f);
}

/* A link from one thread to another that no memory tells. */
static void conclude(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *from,
	const struct nh_thread *to, const char *edge, struct nh_finding *f)
{
	*nh_push(a, &f->chain) =
		(struct nh_link){ nh_name_thread(a, from), nh_name_thread(a, to), edge,
			nh_arena_printf(a, "it is in %s; the other is in %s",
				call_words(a, g, from), call_words(a, g, to)),
			true };
}

static void tell_unknown_owner(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start, *holders[TOLD_MAX];
	size_t n = syncing(m->g, t, holders, TOLD_MAX), all;
	const struct nh_thread *const *threads = nh_index_threads(&m->g->ix, t->pid, &all);

	f->title = nh_arena_printf(a,
		"threads of pid %jd wait for a lock of the CUDA driver while thread %jd%s waits for "
		"the GPU",
		(intmax_t)t->pid, (intmax_t)holders[0]->tid, n > 1 ? ", and others," : "");
	tell_culprit(a, m->g, t, n == 1 ? holders[0] : NULL, f);
	for (size_t i = 0; i < n; i++)
		conclude(a, m->g, t, holders[i], nh_edge_name(NH_EDGE_LOCKS), f);
	for (size_t i = 0; i < all; i++)
		if (threads[i] != t && wants_lock(m->g, threads[i]))
			nh_tell_victim(a, f, m->g, threads[i]);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_wait(a, f, m->g, holders[0]);
	nh_tell_unknown(a, f, "who has the lock: its memory does not name an owner");
	tell_rest(a, m->g, t, one_thread, f);
}

static void tell_keeper(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start, *waiters[TOLD_MAX];
	size_t n = syncing(m->g, t, waiters, TOLD_MAX);

	f->title = nh_arena_printf(a,
		"thread %jd of pid %jd is in %s, while %s of the process wait%s for work on it",
		(intmax_t)t->tid, (intmax_t)t->pid, call_words(a, m->g, t),
		n == 1 ? "another thread" : "other threads", n == 1 ? "s" : "");
	tell_culprit(a, m->g, t, t, f);
	for (size_t i = 0; i < n; i++) {
		conclude(a, m->g, waiters[i], t, "may wait for work that is kept back by", f);
		nh_tell_victim(a, f, m->g, waiters[i]);
	}
	nh_tell_wait(a, f, m->g, t);
	nh_tell_wait(a, f, m->g, waiters[0]);
	/* Only kernels that wait for each other can be kept apart for ever. */
	if (!nh_nccl_is_mapped(m->g, t->pid))
		f->confidence = NH_POSSIBLE;
	/* To allocate and to load code takes long by itself. */
	if (nh_cuda_call_of(m->g, t).kind != NH_CUDA_FREE && nh_never_rests(m->g, t)) {
		f->confidence = NH_POSSIBLE;
		nh_tell_unknown(a, f, "whether thread %jd works or waits", (intmax_t)t->tid);
	}
	tell_rest(a, m->g, t, one_thread, f);
}

static void tell_blocking(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;

	f->title = nh_arena_printf(a,
		"thread %jd of pid %jd launches a collective with CUDA_LAUNCH_BLOCKING=1, and the "
		"launch waits for its end",
		(intmax_t)t->tid, (intmax_t)t->pid);
	tell_culprit(a, m->g, t, t, f);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_evidence(a, f,
		"CUDA_LAUNCH_BLOCKING=1 is in its environment: every launch returns when its kernel "
		"has ended, and what NCCL does for a kernel after the launch comes too late");
	tell_rest(a, m->g, t,
		"prevent it: unset CUDA_LAUNCH_BLOCKING. Price: errors of kernels show later", f);
}

static const char *const refutes[] = {
	"the stacks of those threads have changed when they are taken again",
	"the kernels that are waited for are a long computation and no collective",
	NULL,
};

static const struct nh_step owner_steps[] = {
	{ NH_EDGE_LOCKS, false, owner_waits_for_gpu,
		"no thread inside the CUDA driver waits for a lock whose owner waits for the GPU" },
};

const struct nh_rule nh_rule_cuda_owner = {
	.id = "cuda-lock",
	.pattern = { .begin = wants_lock,
		.no_begin = "no thread waits for a lock inside the CUDA driver",
		.steps = owner_steps,
		.nsteps = sizeof(owner_steps) / sizeof(*owner_steps) },
	.fold = NH_EDGE_LOCKS,
	.ceiling = NH_LIKELY,
	.tell = tell_owner,
	.refutes = refutes,
};

const struct nh_rule nh_rule_cuda_lock = {
	.id = "cuda-lock",
	.pattern = { .begin = first_unknown,
		.no_begin = "no thread waits for a lock inside the CUDA driver while another waits "
			    "for the GPU" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell_unknown_owner,
	.refutes = refutes,
};

const struct nh_rule nh_rule_cuda_keeper = {
	.id = "cuda-lock",
	.pattern = { .begin = first_keeper,
		.no_begin =
			"no thread stays in a CUDA call that waits for the GPU by the way, while "
			"another waits for it on purpose" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell_keeper,
	.refutes = refutes,
	.covers = "nccl 48; torchcomms 2334",
};

const struct nh_rule nh_rule_cuda_blocking = {
	.id = "cuda-lock",
	.pattern = { .begin = launches_collective,
		.no_begin = "no thread is in a blocking launch of a collective" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell_blocking,
	.refutes = refutes,
	.covers = "nccl 750",
};
