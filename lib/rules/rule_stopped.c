/*
 * stopped-process: a process of the job does not run because a signal stopped it, because a tracer
 * holds it, or because its control group is frozen.  Whoever waits for it waits until it is let go.
 */
#include "rules/kernel_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

static bool is_stopped(const struct nh_thread *t)
{
	return nh_streq(t->state, "T") || nh_streq(t->state, "t");
}

/* Told once a process, by its first thread, and only if none of its threads runs on. */
static bool whole_process_stopped(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	if (all[0] != t || !p || p->why == NH_WHY_ANCESTOR)
		return false;
	if (nh_is_frozen(g, p))
		return !nh_streq(t->state, "Z") || p->nthreads > 1;
	for (size_t i = 0; i < n; i++)
		if (!is_stopped(all[i]) && !nh_streq(all[i]->state, "Z"))
			return false;
	return is_stopped(t);
}

static void tell_frozen(struct nh_arena *a, const struct nh_match *m, const struct nh_process *p,
	struct nh_finding *f)
{
	const struct nh_cgroup *group = nh_frozen_group(m->g, p);
	bool v2 = group && group->hierarchy == NH_CGROUP_V2;
	const char *own = group ? nh_shell_quote(a, group->path) : NULL;

	f->title = nh_arena_printf(
		a, "%s does not run: its control group is frozen", nh_name_process(a, p));
	if (group)
		nh_tell_evidence(a, f, "control group %s (%s): %s", group->path,
			v2 ? "v2" : "v1, freezer",
			v2 ? "cgroup.events says frozen 1" : "freezer.state is FROZEN");
	else
		nh_tell_evidence(a, f, "its threads are in the kernel's function __refrigerator");
	if (group && !group->freezes)
		nh_tell_evidence(a, f, "a group above it was frozen, and it with that");
	nh_tell_unknown(a, f, "who froze it: a container runtime (pause), a checkpoint, a suspend");
	nh_tell_save(a, f, p->pid);
	nh_tell_remedy(a, f,
		group && !group->freezes
			? "thaw the group above it that is frozen, with the tool that froze it"
			: "thaw it, with the tool that froze it (docker unpause …) or by hand. Price: "
			  "none, unless it was frozen on purpose",
		!group || !group->freezes ? NULL
		: v2 ? nh_arena_printf(a, "echo 0 > /sys/fs/cgroup%s/cgroup.freeze", own)
		     : nh_arena_printf(
			       a, "echo THAWED > /sys/fs/cgroup/freezer%s/freezer.state", own));
}

static void tell_stopped(struct nh_arena *a, const struct nh_match *m, const struct nh_process *p,
	struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	bool traced = nh_streq(t->state, "t");

	f->title = nh_arena_printf(
		a, "%s is stopped by %s", nh_name_process(a, p), traced ? "a tracer" : "a signal");
	nh_tell_evidence(a, f, "every thread of pid %jd is in state %s (%s)", (intmax_t)p->pid,
		t->state,
		traced ? "tracing stop" : "stopped: SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU");
	if (p->tracer > 0)
		nh_tell_evidence(a, f, "its tracer is pid %jd", (intmax_t)p->tracer);
	else
		nh_tell_unknown(a, f, "who stopped it: Linux does not record that");
	nh_tell_save(a, f, p->pid);
	if (traced)
		nh_tell_remedy(a, f, "let the tracer go on or detach. Price: its session", NULL);
	else
		nh_tell_remedy(a, f,
			"let it go on. Price: none, unless somebody stopped it on purpose",
			nh_arena_printf(a,
				"[ \"$(sed 's/.*) //' /proc/%jd/stat | cut -d' ' -f20)\" = %jd ] && "
				"kill -CONT %jd",
				(intmax_t)p->pid, (intmax_t)p->start, (intmax_t)p->pid));
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_process *p = nh_index_process(&m->g->ix, m->path.start->pid);

	nh_tell_culprit(a, f, m->g, p, NULL);
	/* The process itself is the first victim; the engine has put it there. */
	nh_tell_dependants(a, f, m->g, p);
	if (nh_is_frozen(m->g, p))
		tell_frozen(a, m, p, f);
	else
		tell_stopped(a, m, p, f);
}

static const char *const refutes[] = {
	"one of its threads runs",
	"whoever waits for it goes on while it is still stopped",
	NULL,
};

const struct nh_rule nh_rule_stopped = {
	.id = "stopped-process",
	.pattern = { .begin = whole_process_stopped,
		.no_begin = "no process of the job is stopped or frozen" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
};
