/*
 * driver-stall: a thread cannot be interrupted in a device driver; or it was killed and does not
 * end, which only the kernel can be the reason of.  What stalls in a served file system is told as
 * that.
 */
#include "rules/kernel_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "know/driver.h"
#include "know/filesystem.h"

static const struct nh_driver *driver_of(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	const struct nh_fd *fd = w.fd < 0 ? NULL : nh_index_fd(&g->ix, t, w.fd);
	const struct nh_driver *d = nh_driver_of_path(t->path ? t->path : fd ? fd->path : NULL);

	return d ? d : nh_driver_of_thread(t);
}

static bool is_stuck(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	if (!nh_is_uninterruptible(g, t) || nh_is_frozen(g, p) || nh_stay_of(g, t) == NH_MOVES)
		return false;
	if (nh_fs_of_thread(t) || nh_fs_of_type(nh_place_of(g, t).fstype))
		return false;
	return p->killed || driver_of(g, t);
}

/* Told once a process, by its first such thread. */
static bool leads_its_process(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);

	if (!is_stuck(g, t))
		return false;
	for (size_t i = 0; i < n && all[i] != t; i++)
		if (is_stuck(g, all[i]))
			return false;
	return true;
}

/* A driver may take its time, but not to die. */
static int most_of(const struct nh_graph *g, const struct nh_thread *t, const struct nh_process *p)
{
	int most = nh_stay_confidence(nh_stay_of(g, t));

	return most == NH_CONFIRMED && !p->killed ? NH_LIKELY : most;
}

static void tell_others(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *first = m->path.start;
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&m->g->ix, first->pid, &n);

	for (size_t i = 0; i < n; i++) {
		if (!is_stuck(m->g, all[i]))
			continue;
		nh_tell_evidence(a, f, "%s", nh_kernel_words(a, m->g, all[i]));
		if (all[i] != first)
			nh_tell_victim(a, f, m->g, all[i]);
	}
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	const struct nh_driver *d = driver_of(m->g, t);
	int most = most_of(m->g, t, p);

	if (f->confidence > most)
		f->confidence = most;
	f->title = nh_arena_printf(a, "%s %s in %s", nh_name_process(a, p),
		p->killed ? "was killed and cannot end: it is stuck" : "is stuck",
		d ? d->name : "the kernel");
	nh_tell_culprit(a, f, m->g, p, NULL);
	f->culprit->tid = t->tid;
	tell_others(a, m, f);
	nh_tell_dependants(a, f, m->g, p);
	if (p->killed)
		nh_tell_evidence(a, f,
			"SIGKILL is pending for pid %jd: signals are not looked at in state D",
			(intmax_t)p->pid);
	if (!p->killed)
		nh_tell_unknown(
			a, f, "whether the driver still works on it: a call may take seconds");
	if (!t->kernel.n)
		nh_tell_unknown(a, f, "what led into the kernel there: its stack was not readable");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f, "see what the driver says of it. Price: none",
		d ? d->look : "dmesg -T | tail -n 50");
	nh_tell_remedy(a, f,
		"take the host out of the job and reset the device, or reboot: no signal ends this "
		"process. Price: everything on that device",
		NULL);
}

static const char *const refutes[] = {
	"the thread leaves state D by itself: the driver was slow",
	"the process ends",
	NULL,
};

const struct nh_rule nh_rule_driver = {
	.id = "driver-stall",
	.pattern = { .begin = leads_its_process,
		.no_begin =
			"no thread is uninterruptible in a driver, and nobody killed lives on" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
	.covers = "pytorch/pytorch#185414, leptonai/gpud#117",
};
