/*
 * held-pipe: a thread reads a pipe or a socket pair that will neither bring data nor end: whoever
 * may still write is the reading process itself, or an orphan that inherited the write end.
 */
#include <string.h>
#include "rules/data_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "know/reaper.h"
#include "know/thread_roles.h"

static bool is_of_the_job(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	return p &&
	       (p->why == NH_WHY_TARGET || p->why == NH_WHY_FOUND || p->why == NH_WHY_DESCENDANT);
}

/* A dead child explains more: rule_dead_peer.c. */
static bool nobody_writes(const struct nh_graph *g, const struct nh_thread *t)
{
	enum nh_writers w = is_of_the_job(g, t) ? nh_data_writers(g, t) : NH_WRITERS_OTHERS;

	if (w == NH_WRITERS_SELF)
		return !nh_may_write_itself(g, t, true) && !nh_dead_child(g, t->pid);
	return w == NH_WRITERS_ORPHANS && !nh_may_write_itself(g, t, false);
}

static bool has_write_end(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_edge *held = p->edge[p->n - 1];

	/* Where orphans have it too, they are the ones to tell. */
	return nh_leads_to_write_end(p) &&
	       (nh_data_writers(g, p->start) == NH_WRITERS_SELF ||
		       ((const struct nh_process *)held->to.row)->pid != p->start->pid);
}

static void tell_also(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	nh_for(p, &m->also) {
		const struct nh_edge *held = p->edge[p->n - 1];

		nh_tell_evidence(a, f, "also %s is held open by %s: %s",
			nh_name_node(a, held->from), nh_name_node(a, held->to),
			nh_edge_fact(a, m->g, held));
	}
}

static void cap(struct nh_finding *f, int most)
{
	if (f->confidence > most)
		f->confidence = most;
}

static void tell_self(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *p = nh_index_process(&m->g->ix, t->pid);
	const char *what = nh_name_node(a, m->path.edge[m->path.n - 1]->from);

	f->title = nh_arena_printf(
		a, "%s waits for data on %s that only it could write", nh_name_process(a, p), what);
	if (p->nthreads > 1)
		nh_tell_evidence(a, f,
			"each of the other %jd threads of pid %jd waits without a bound for another "
			"thread of it: none will write",
			(intmax_t)p->nthreads - 1, (intmax_t)p->pid);
	else
		nh_tell_evidence(a, f,
			"pid %jd has no other thread, and while this one reads it does not write",
			(intmax_t)p->pid);
	nh_tell_remedy(a, f,
		"release it now by ending the reader (checks PID and start time first). Price: what "
		"it has not saved",
		nh_kill_command(a, p));
	nh_tell_remedy(a, f,
		"prevent it: close the write end in the reader before it reads; then the end of the "
		"last writer ends the wait. Price: none",
		NULL);
}

/* The child the orphan was made by, or for: one of the reader's that is gone. */
static void tell_creator(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *holder, struct nh_finding *f)
{
	const struct nh_process *dead = nh_dead_child(m->g, m->path.start->pid);

	if (dead && dead->start <= holder->start) {
		nh_tell_evidence(a, f,
			"a child of the reader, %s, has ended; it started before the orphan",
			nh_name_process(a, dead));
		return;
	}
	cap(f, NH_LIKELY);
	nh_tell_unknown(
		a, f, "who created the holder: no child of the reader that ended is left to see");
}

static void tell_orphan(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = m->path.edge[m->path.n - 1];
	const struct nh_process *holder = held->to.row;
	const struct nh_process *parent = nh_index_process(&m->g->ix, holder->ppid);

	f->title = nh_arena_printf(a,
		"pid %jd waits for the end of a pipe that %s, an orphan, keeps open",
		(intmax_t)m->path.start->pid, nh_name_process(a, holder));
	nh_tell_evidence(a, f, "%s %s %s%s%s", nh_name_process(a, holder),
		nh_is_reaper(parent) ? "was adopted by" : "descends from an orphan; its parent is",
		nh_name_process(a, parent), nh_is_reaper(parent) ? ": its creator has ended" : "",
		holder->cmdline ? nh_arena_printf(a, "; it runs: %s", holder->cmdline) : "");
	tell_creator(a, m, holder, f);
	nh_tell_remedy(a, f,
		"release it now by ending the holder (checks PID and start time first). Price: "
		"whatever that process still does is lost",
		nh_kill_command(a, holder));
	nh_tell_remedy(a, f,
		"prevent it: start background processes with their output elsewhere (>/dev/null "
		"2>&1), "
		"or wait for the child's end and not for the end of its output. Price: none",
		NULL);
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = m->path.edge[m->path.n - 1];

	nh_tell_culprit(a, f, m->g, held->to.row, held->fd);
	nh_tell_save(a, f, m->path.start->pid);
	if (nh_data_writers(m->g, m->path.start) == NH_WRITERS_SELF)
		tell_self(a, m, f);
	else
		tell_orphan(a, m, f);
	tell_also(a, m, f);
	nh_tell_waiters(a, f, m->g, m->path.start);
	nh_tell_wait(a, f, m->g, m->path.start);
	nh_tell_moved(a, f, m->g, m->path.start);
	nh_tell_search(a, m, f);
	if (!nh_searched_all(m->g))
		cap(f, NH_LIKELY);
}

/* The tracker has nothing to do but to wait for the end of its pipe: a client that has closed its
 * own end and waits for the tracker's end waits for whoever else has that pipe. */
static bool is_tracker(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_thread *t = nh_path_end(p).row;
	const struct nh_process *of = nh_index_process(&g->ix, t->pid);

	/* Its stack, that would tell its role as well, is in the last sample only. */
	return of && of->cmdline &&
	       strstr(of->cmdline, nh_thread_role_row(NH_THREAD_TRACKER)->cmdline);
}

static bool is_bystander(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_edge *held = p->edge[p->n - 1];
	size_t n;
	const struct nh_edge *all = nh_graph_out(g, held->from, NH_EDGE_HELD_BY, &n);

	for (size_t i = 0; i < n; i++)
		if (nh_is_write_end(&all[i]) &&
			((const struct nh_process *)all[i].to.row)->pid == p->start->pid)
			return false;
	return nh_is_write_end(held);
}

static void tell_tracker(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = m->path.edge[m->path.n - 1];
	const struct nh_process *holder = held->to.row;

	f->title = nh_arena_printf(a,
		"pid %jd waits for its resource tracker, which reads a pipe that %s keeps open",
		(intmax_t)m->path.start->pid, nh_name_process(a, holder));
	nh_tell_culprit(a, f, m->g, holder, held->fd);
	nh_tell_evidence(a, f,
		"no descriptor of pid %jd is that pipe's write end: it has closed its own, and the "
		"tracker leaves when the last one is closed",
		(intmax_t)m->path.start->pid);
	tell_also(a, m, f);
	nh_tell_wait(a, f, m->g, m->path.start);
	nh_tell_moved(a, f, m->g, m->path.start);
	nh_tell_search(a, m, f);
	nh_tell_save(a, f, m->path.start->pid);
	nh_tell_remedy(a, f,
		"release it now by ending the holder (checks PID and start time first). Price: "
		"whatever that process still does is lost",
		nh_kill_command(a, holder));
	nh_tell_remedy(a, f,
		"prevent it: start processes with multiprocessing or subprocess and not with a bare "
		"os.fork(), or let the fork's child close the descriptor. Price: none",
		NULL);
}

static const struct nh_step steps[] = {
	{ NH_EDGE_READS, false, NULL, NULL, NH_EDGE_POLLS, false },
	{ NH_EDGE_PEER, false, NULL, NULL, NH_EDGE_JOINS, true },
	{ NH_EDGE_HELD_BY, false, has_write_end, NULL, NH_EDGE_JOINS, false },
};

static const struct nh_step tracker_steps[] = {
	{ NH_EDGE_CHILD, false, NULL, NULL, NH_EDGE_JOINS, false },
	{ NH_EDGE_RUNS, false, is_tracker, NULL, NH_EDGE_JOINS, false },
	{ NH_EDGE_READS, false, NULL, NULL, NH_EDGE_JOINS, false },
	{ NH_EDGE_HELD_BY, false, is_bystander, NULL, NH_EDGE_JOINS, false },
};

static const char *const refutes[] = {
	"the wait ends although the holder keeps the write end",
	"the write end is closed in the holder and the wait goes on: then somebody else has it, in "
	"flight over a unix socket for one",
	NULL,
};

const struct nh_rule nh_rule_held_pipe = {
	.id = "held-pipe",
	.pattern = { .begin = nobody_writes,
		.no_begin = "no thread reads a pipe that only its own process or an orphan could "
			    "write",
		.steps = steps,
		.nsteps = sizeof(steps) / sizeof(*steps) },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
};

const struct nh_rule nh_rule_held_pipe_tracker = {
	.id = "held-pipe",
	.pattern = { .begin = is_of_the_job,
		.steps = tracker_steps,
		.nsteps = sizeof(tracker_steps) / sizeof(*tracker_steps) },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_tracker,
	.refutes = refutes,
	.covers = "python/cpython 146313",
};
