/*
 * Teardown that waits in the process itself, for no socket: the thread in teardown is inside a CUDA
 * call, waits for CUDA graphs, or joins a thread that never rests.  These rest on stacks, which are
 * taken once, so none of them is ever more than likely.
 */
#include "rules/nccl.h"
#include "rules/nccl_version.h"
#include "graph/words.h"

/* Whether the innermost part of a stack, down to the first frame of NCCL's, passes through CUDA. */
static bool leaf_in_cuda(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);

	if (s)
		nh_for(f, &s->frames) {
			if (nh_teardown_kind(f) != NH_TD_NONE)
				return false;
			if (nh_frame_is_cuda(f))
				return true;
		}
	return false;
}

static bool teardown_in_cuda(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_nccl_tears_down(g, t) && leaf_in_cuda(g, t);
}

static bool teardown_in_graph(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_nccl_tears_down(g, t) && nh_on_stack(g, t, NH_TD_GRAPH);
}

/* The names of NCCL's own threads, or, in a stripped library, that a teardown joins it. */
static bool joins_restless(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_thread *t = nh_path_end(p).row;
	bool named = nh_on_stack(g, t, NH_TD_PROGRESS) || nh_on_stack(g, t, NH_TD_SERVICE);
	bool unnamed = nh_on_stack(g, t, NH_TD_UNNAMED) && nh_nccl_tears_down(g, p->start);

	if (nh_on_stack(g, t, NH_TD_ACCEPT) || nh_nccl_is_service(g, t))
		return false;
	return (named || unnamed) && (nh_never_rests(g, t) || leaf_in_cuda(g, t));
}

static void tell_thread(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	struct nh_finding *f)
{
	struct nh_silhouette s = nh_silhouette_of(a, m->g, t);
	const struct nh_case *c = m->g->ix.c;

	if (s.frames)
		nh_tell_evidence(a, f, "stack of thread %jd, innermost first: %s", (intmax_t)t->tid,
			s.frames);
	nh_for(old, &c->threads) {
		if (old->pid != t->pid || old->tid != t->tid || old->sample == t->sample)
			continue;
		nh_tell_evidence(a, f,
			"between the samples thread %jd used %s of CPU time and was switched out %jd "
			"times",
			(intmax_t)t->tid,
			nh_ticks_words(a, c, t->utime + t->stime - old->utime - old->stime),
			(intmax_t)(t->vcsw + t->nvcsw - old->vcsw - old->nvcsw));
	}
}

static void tell_self(struct nh_arena *a, const struct nh_match *m, const struct nh_thread *t,
	struct nh_finding *f)
{
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);

	if (p) {
		nh_tell_culprit(a, f, m->g, p, NULL);
		f->culprit->tid = t->tid;
	}
	tell_thread(a, m, t, f);
	nh_nccl_tell_known(a, m->g, t->pid, f);
	nh_tell_unknown(a, f, "the stack was taken once: whether it is a state or a moment");
}

static void tell_cuda(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;

	f->title = nh_arena_printf(a,
		"NCCL teardown of pid %jd is inside a CUDA call, before it joins anything",
		(intmax_t)t->pid);
	tell_self(a, m, t, f);
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"find the kernel that does not end: a collective another rank never joined, or one of "
		"another communicator on the same device. Look at the other ranks",
		NULL);
	nh_tell_remedy(a, f,
		"prevent it: abort every communicator of the device, in one group (NCCL 2.22 or "
		"later), and do not call cudaFree or a device-wide sync before. Price: a change to "
		"the error path",
		NULL);
}

static void tell_graph(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;

	f->title = nh_arena_printf(a,
		"NCCL teardown of pid %jd waits until CUDA graphs that captured the communicator are "
		"destroyed",
		(intmax_t)t->pid);
	tell_self(a, m, t, f);
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"destroy the graphs (cudaGraphDestroy and cudaGraphExecDestroy; in PyTorch, delete "
		"every torch.cuda.CUDAGraph) before the communicator. Price: a change to the exit "
		"path",
		NULL);
}

static void tell_progress(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = nh_nccl_joined(&m->path);
	const char *role = nh_on_stack(m->g, t, NH_TD_PROGRESS)	 ? "progress"
			   : nh_on_stack(m->g, t, NH_TD_SERVICE) ? "service"
								 : "own (unnamed)";

	f->title = nh_arena_printf(a,
		leaf_in_cuda(m->g, t)
			? "NCCL teardown of pid %jd waits for its %s thread %jd, which is "
			  "inside a CUDA call"
			: "NCCL teardown of pid %jd waits for its %s thread %jd, which "
			  "never rests",
		(intmax_t)t->pid, role, (intmax_t)t->tid);
	tell_self(a, m, t, f);
	tell_thread(a, m, nh_nccl_joiner(&m->path), f);
	/* A teardown that goes well joins a running thread too, for a moment. */
	if (m->g->ix.c->samples.n > 1 && !nh_has_not_moved(m->g, nh_nccl_joiner(&m->path)))
		f->confidence = NH_POSSIBLE;
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"prevent it: the progress loop of NCCL 2.23.4 to 2.25.1 does not look at the abort "
		"flag; 2.26.2 does again. Price: an upgrade",
		NULL);
	nh_tell_remedy(a, f, "release it now: only ending the process does. Price: the rank", NULL);
}

static const struct nh_step progress_steps[] = {
	{ NH_EDGE_JOINS, true, joins_restless,
		"no thread waits for an NCCL thread that is busy or inside a CUDA call" },
};

static const char *const refutes[] = {
	"the stack of that thread has changed when it is taken again",
	"the teardown returns by itself",
	NULL,
};

const struct nh_rule nh_rule_teardown_cuda = {
	.id = "nccl-teardown-cuda",
	.pattern = { .begin = teardown_in_cuda,
		.no_begin = "no thread in NCCL teardown is inside a CUDA call" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell_cuda,
	.refutes = refutes,
	.covers = "nccl 549, 829, 1013, 1317; pytorch 119797",
};

const struct nh_rule nh_rule_teardown_graph = {
	.id = "nccl-teardown-graph",
	.pattern = { .begin = teardown_in_graph,
		.no_begin = "no thread in NCCL teardown waits for CUDA graphs" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell_graph,
	.refutes = refutes,
};

const struct nh_rule nh_rule_teardown_progress = {
	.id = "nccl-teardown-progress",
	.pattern = { .steps = progress_steps,
		.nsteps = sizeof(progress_steps) / sizeof(*progress_steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_LIKELY,
	.tell = tell_progress,
	.refutes = refutes,
	.covers = "pytorch 149153; Fuser 3055; nccl 992, 1822",
};
