/*
 * zombie-leader: the main thread ended, the process lives on by its other threads, and these wait
 * for what none of them will do.  A thread that serves, sleeps by the clock or works may be why the
 * others are there: then nothing is said.
 */
#include "rules/kernel_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

enum { TOLD = 8 };

static bool has_ended(const struct nh_thread *t)
{
	return nh_streq(t->state, "Z") || nh_streq(t->state, "X");
}

/* Waits for another thread, without bound, for as long as was looked. */
static bool waits_inside(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);

	return w.kind == NH_WAIT_FUTEX && w.timeout_ms == -1 && nh_stay_of(g, t) != NH_MOVES;
}

static bool waits_for_child(const struct nh_graph *g, const struct nh_thread *t)
{
	return nh_graph_wait(g, t).kind == NH_WAIT_CHILD && nh_stay_of(g, t) != NH_MOVES;
}

/* Begins at the first thread that lives. */
static bool outlives_its_leader(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n), *first = NULL;
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	bool inside = false;

	if (!p || p->why == NH_WHY_ANCESTOR || !nh_streq(p->state, "Z") || has_ended(t))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (has_ended(all[i]))
			continue;
		if (!first)
			first = all[i];
		if (!waits_inside(g, all[i]) && !waits_for_child(g, all[i]))
			return false;
		inside |= waits_inside(g, all[i]);
	}
	return first == t && inside;
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	enum nh_stay stay = NH_STAYS;
	size_t n, live = 0;
	const struct nh_thread *const *all = nh_index_threads(&m->g->ix, t->pid, &n);

	nh_tell_culprit(a, f, m->g, p, NULL);
	for (size_t i = 0; i < n; i++) {
		enum nh_stay s = nh_stay_of(m->g, all[i]);

		if (has_ended(all[i]))
			continue;
		stay = s < stay ? s : stay;
		if (live++ < TOLD)
			nh_tell_evidence(a, f, "%s: %s", nh_name_thread(a, all[i]),
				nh_state_words(a, &m->g->ix, all[i]));
		if (all[i] != t)
			nh_tell_victim(a, f, m->g, all[i]);
		if (live <= TOLD)
			nh_tell_wait(a, f, m->g, all[i]);
	}
	/* What woke one of them may do so again. */
	if (f->confidence > NH_LIKELY || stay != NH_STAYS)
		f->confidence = stay == NH_STAYS ? NH_LIKELY : NH_POSSIBLE;
	f->title = nh_arena_printf(a,
		"the main thread of %s has ended, and its %zu other thread%s wait%s for what none "
		"does",
		nh_name_process(a, p), live, live == 1 ? "" : "s", live == 1 ? "s" : "");
	nh_tell_dependants(a, f, m->g, p);
	nh_tell_unknown(a, f,
		"whether something outside wakes a thread through memory that is shared with it");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(
		a, f, "release it now: end the process. Price: the process", nh_kill_command(a, p));
	nh_tell_remedy(a, f,
		"prevent it: let main return instead of ending only its thread (pthread_exit, or a "
		"signal handler that does). Price: none",
		NULL);
}

static const char *const refutes[] = {
	"one of its threads goes on by itself",
	"it is woken from outside by memory that processes share",
	NULL,
};

const struct nh_rule nh_rule_leader = {
	.id = "zombie-leader",
	.pattern = { .begin = outlives_its_leader,
		.no_begin =
			"no process lives on without its main thread, all its threads waiting" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
};
