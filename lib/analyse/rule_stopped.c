/*
 * stopped-process: a process of the job does not run because a signal stopped it, or because a
 * tracer holds it.  Whoever waits for it waits until it is let go.
 */
#include "analyse/nccl.h"
#include "analyse/words.h"
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
	for (size_t i = 0; i < n; i++)
		if (!is_stopped(all[i]) && !nh_streq(all[i]->state, "Z"))
			return false;
	return is_stopped(t);
}

/* Threads that wait for the process by its PID; they are its victims. */
static void tell_waiters(struct nh_arena *a, const struct nh_match *m, const struct nh_process *p,
	struct nh_finding *f)
{
	nh_for(e, &m->g->edges) {
		if (e->kind != NH_EDGE_CHILD || e->to.row != p)
			continue;
		nh_tell_link(a, f, m->g, e);
		nh_tell_victim(a, f, m->g, e->from.row);
	}
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	bool traced = nh_streq(t->state, "t");

	f->title = nh_arena_printf(
		a, "%s is stopped by %s", nh_name_process(a, p), traced ? "a tracer" : "a signal");
	nh_tell_culprit(a, f, m->g, p, NULL);
	/* The process itself is the first victim; the engine has put it there. */
	tell_waiters(a, m, p, f);
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

static const char *const refutes[] = {
	"one of its threads runs",
	"whoever waits for it goes on while it is still stopped",
	NULL,
};

const struct nh_rule nh_rule_stopped = {
	.id = "stopped-process",
	.pattern = { .begin = whole_process_stopped,
		.no_begin = "no process of the job is stopped" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
};
