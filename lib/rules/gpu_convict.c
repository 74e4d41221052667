/*
 * driver-stall by a GPU that is gone: who computes on it can neither go on nor answer, and
 * everybody in its collectives waits.  That it is gone was read; that the job hangs for that is
 * concluded.
 */
#include "rules/gpu.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

/* Users of one lost GPU. */
struct loss {
	struct nh_case *c;
	const struct nh_gpu *g;
	const char *name, *state;
};

/* A file that is open, or a custom of launchers, alone does not say who computes where. */
static int sure(const struct nh_gpu_user *u)
{
	return u->driver || (u->env && u->opens) ? NH_LIKELY : NH_POSSIBLE;
}

static const char *use_words(struct nh_arena *a, const struct nh_gpu_user *u)
{
	const char *driver = u->driver ? "the driver lists it among those that compute there" : "";

	if (u->env)
		driver = nh_arena_printf(a, "%s%sits environment chooses that GPU (%s)", driver,
			*driver ? "; " : "", u->env);
	if (u->opens)
		driver = nh_arena_printf(
			a, "%s%sit has %s open", driver, *driver ? "; " : "", u->opens);
	return driver;
}

static void tell_gpu(const struct loss *l, struct nh_finding *f, const struct nh_gpu_user *u)
{
	struct nh_arena *a = l->c->arena;

	nh_tell_evidence(a, f, "%s %s: %s", l->name, l->state, l->g->error ? l->g->error : "");
	nh_tell_evidence(a, f, "%s: %s", nh_name_process(a, u->p), use_words(a, u));
}

static struct nh_finding *finding_of(struct nh_case *c, const struct nh_process *p)
{
	nh_for(f, &c->verdict.findings)
		if (nh_streq(f->id, "driver-stall") && f->culprit && f->culprit->pid == p->pid)
			return f;
	return NULL;
}

static void remedies(const struct loss *l, struct nh_finding *f, int64_t pid)
{
	struct nh_arena *a = l->c->arena;

	nh_tell_save(a, f, pid);
	nh_tell_remedy(a, f, "read when and why the driver lost it: its Xid lines",
		"sudo dmesg -T | grep -i xid");
	nh_tell_remedy(a, f,
		"take the host out of the job, then reset the GPU or boot the host. Price: every "
		"process on the GPU, or on the host",
		l->g->trouble == NH_GPU_RESET && l->g->index != NH_UNKNOWN
			? nh_arena_printf(
				  a, "sudo nvidia-smi --gpu-reset -i %jd", (intmax_t)l->g->index)
			: NULL);
}

static const char *const refutes[] = {
	"the GPU answers again: nvidia-smi shows its temperature",
	"the process computes on another GPU",
	NULL,
};

static void convict(const struct loss *l, const struct nh_graph *g, const struct nh_gpu_user *u)
{
	struct nh_arena *a = l->c->arena;
	struct nh_finding *f = nh_push(a, &l->c->verdict.findings);
	const struct nh_thread *t = nh_index_thread(&g->ix, u->p->pid, u->p->pid);

	nh_row_init(&nh_finding_type, f);
	f->id = "driver-stall";
	f->confidence = sure(u);
	f->title = nh_arena_printf(
		a, "%s %s, and %s uses it", l->name, l->state, nh_name_process(a, u->p));
	nh_tell_culprit(a, f, g, u->p, NULL);
	if (t)
		nh_tell_victim(a, f, g, t);
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_process(a, u->p), l->name, "computes on",
		use_words(a, u), !u->driver };
	tell_gpu(l, f, u);
	for (const char *const *s = refutes; *s; s++)
		*nh_push(a, &f->refutes) = *s;
	nh_tell_unknown(a, f,
		"when it was lost, and whether the process has been told: the kernel log and the rank's log may say");
	remedies(l, f, u->p->pid);
}

static bool better(const struct nh_gpu_user *a, const struct nh_gpu_user *b)
{
	return !b || sure(a) > sure(b);
}

/* Who uses it for certain, else nobody but the first of those that may. */
static void convict_users(const struct loss *l, const struct nh_graph *g)
{
	const struct nh_gpu_user *best = NULL;
	struct nh_gpu_users users;
	struct nh_finding *known;

	nh_gpu_users_of(l->c->arena, l->c, l->g, &users);
	nh_for(u, &users)
		if (better(u, best))
			best = u;
	if (!best)
		return;
	known = finding_of(l->c, best->p);
	if (known)
		tell_gpu(l, known, best);
	else
		convict(l, g, best);
}

void nh_gpu_analyse(struct nh_case *c)
{
	struct nh_graph graph;
	bool built = false;

	nh_for(g, &c->gpus) {
		struct loss l = { c, g, nh_gpu_name(c->arena, g),
			g->trouble == NH_GPU_LOST ? "is lost" : "requires a reset" };

		if (!c->samples.n || (g->trouble != NH_GPU_LOST && g->trouble != NH_GPU_RESET))
			continue;
		if (!built)
			nh_graph_build(c->arena, c, c->samples.v[c->samples.n - 1].sample, &graph);
		built = true;
		convict_users(&l, &graph);
	}
}
