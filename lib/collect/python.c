#include "collect/python.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "know/wait.h"
#include "proc/read.h"
#include "python/gil.h"

enum { LOOKS = 20, BETWEEN_LOOKS_MS = 1 }; /* second looks at one process's threads */

/* The argument stays when the call is restarted under another number; calls without arguments
 * leave there what was before. */
static uint64_t futex_of(const struct nh_collector *k, const struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	bool futex = w.kind == NH_WAIT_FUTEX || (w.restarted && !w.call);

	return futex && t->args.n ? t->args.v[0] : 0;
}

static struct nh_py_task *list_tasks(struct nh_collector *k, size_t first, size_t n)
{
	struct nh_py_task *tasks = nh_new(k->a, struct nh_py_task, n);

	for (size_t i = 0; i < n; i++) {
		const struct nh_thread *t = &k->c->threads.v[first + i];

		tasks[i] = (struct nh_py_task){
			.tid = t->tid, .nstid = t->nstid, .sp = t->sp, .futex = futex_of(k, t)
		};
	}
	return tasks;
}

static uint64_t futex_now(const struct nh_collector *k, const struct nh_subject *s, int64_t tid)
{
	struct nh_thread now = { .tid = tid };
	struct nh_syscall sc;
	char path[64], buf[256];

	snprintf(path, sizeof(path), "task/%jd/syscall", (intmax_t)tid);

	ssize_t n = nh_read_small(s->dir, path, buf, sizeof(buf));

	if (n <= 0 || nh_parse_syscall(buf, (size_t)n, &sc) || sc.running)
		return 0;
	now.nr = sc.nr;
	now.args.v = sc.args;
	now.args.n = 6;
	return futex_of(k, &now);
}

/* Who wants a GIL wakes every 5 ms to ask for it anew.  Where one was met on its feet, another look
 * tells it from a thread that works. */
static void look_again(const struct nh_collector *k, const struct nh_subject *s,
	const struct nh_py_state *st, struct nh_py_task *tasks, size_t first)
{
	int looks = 0;

	nh_for(t, &st->threads) {
		const struct nh_py_interp *in = &st->interps.v[t->interp];

		if (t->task == NH_PY_NO_TASK || !in->gil || !in->locked ||
			!k->c->threads.v[first + t->task].running)
			continue;
		for (int i = 0; i < 4 && looks < LOOKS && !tasks[t->task].futex; i++, looks++) {
			if (i)
				nh_sleep_ms(BETWEEN_LOOKS_MS);
			tasks[t->task].futex = futex_now(k, s, tasks[t->task].tid);
		}
	}
}

static void note(struct nh_collector *k, struct nh_interpreter *row, const char *what)
{
	row->note = row->note ? nh_arena_printf(k->a, "%s; %s", row->note, what) : what;
}

static void add_notes(struct nh_collector *k, const struct nh_subject_python *p, size_t interp,
	struct nh_interpreter *row)
{
	const struct nh_py_interp *in = &p->state.interps.v[interp];
	size_t lost = 0;

	nh_for(t, &p->state.threads)
		lost += t->interp == interp && t->task == NH_PY_NO_TASK;
	if (!in->gil)
		note(k, row, "its GIL could not be read");
	if (row->locked && row->holder == NH_UNKNOWN)
		note(k, row, "the thread that took the GIL is no thread of this process");
	if (lost)
		note(k, row,
			nh_arena_printf(k->a,
				"%zu thread state%s no thread: left behind by fork, or not started yet",
				lost, lost == 1 ? " has" : "s have"));
	if (p->state.torn)
		note(k, row, "its threads changed while they were read");
	if (p->py.others)
		note(k, row, "a second CPython in the process was not read");
}

static void add_row(struct nh_collector *k, const struct nh_subject *s,
	const struct nh_subject_python *p, size_t interp, const struct nh_py_task *tasks, size_t n)
{
	const struct nh_py_interp *in = &p->state.interps.v[interp];
	struct nh_interpreter *row = nh_case_row(k->c, interpreter, interpreters);
	size_t holder = nh_py_gil_holder(&p->state, in);

	row->sample = k->sample;
	row->pid = s->pid;
	row->id = in->id;
	row->version = p->py.version;
	row->finalizing = p->state.finalizing;
	row->locked = in->gil && in->locked;
	row->switches = in->gil ? in->switches : NH_UNKNOWN;
	if (holder != NH_PY_NO_TASK)
		row->holder = tasks[holder].tid;
	for (size_t i = 0; i < n; i++)
		if (nh_py_gil_wanted(in, tasks[i].futex))
			*nh_push(k->a, &row->waiters) = tasks[i].tid;
	nh_for(t, &p->state.threads)
		if (t->interp == interp && t->task != NH_PY_NO_TASK)
			*nh_push(k->a, &row->threads) = tasks[t->task].tid;
	add_notes(k, p, interp, row);
}

void nh_read_python(struct nh_collector *k, const struct nh_subject *s, struct nh_space *space,
	size_t first, size_t n, struct nh_subject_python *ret)
{
	struct nh_py_task *tasks;
	int rc = nh_py_find(space, k->a, &ret->py);

	ret->chains = NULL;
	if (rc == -ENOTSUP)
		nh_gap_said(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid), "Python stacks",
			ret->py.why, NULL, false);
	if (rc || nh_py_state_read(&ret->py, &ret->state))
		return;
	tasks = list_tasks(k, first, n);
	nh_py_match_tasks(&ret->py, &ret->state, tasks, n);
	look_again(k, s, &ret->state, tasks, first);
	for (size_t i = 0; i < ret->state.interps.n; i++)
		add_row(k, s, ret, i, tasks, n);
	ret->chains = nh_arena_alloc(k->a, n, sizeof(*ret->chains));
	for (size_t i = 0; i < n; i++)
		nh_py_chains(&ret->py, &ret->state, i, ret->chains[i]);
}

void nh_merge_python(struct nh_collector *k, struct nh_subject_python *p, size_t i,
	const struct nh_walk *walk, struct nh_merged_stack *ret, const char **why)
{
	struct nh_py_stack frames = { 0 };

	*why = NULL;
	if (p->chains)
		nh_py_frames(&p->py, &p->state, i, walk->nodes, &frames);
	nh_py_merge(k->a, walk, &frames, ret);
	if (frames.why)
		*why = nh_arena_printf(k->a, "Python frames may be missing: %s", frames.why);
	else if (ret->unplaced && walk->complete)
		*why = "the Python frames at the end belong among the native ones, where is not known";
	else if (ret->unplaced)
		*why = "Python frames follow where the native stack could not be followed";
}

static void read_one(struct nh_collector *k, const struct nh_subject *s)
{
	struct nh_mem mem = { .pid = s->live_tid, .dir = s->live };
	struct nh_subject_python p;
	struct nh_space space;
	size_t first = 0, n = 0;

	for (size_t i = 0; i < k->c->threads.n; i++)
		if (k->c->threads.v[i].pid == s->pid && k->c->threads.v[i].sample == k->sample &&
			!n++)
			first = i;
	if (!n || !nh_mark_begin(k->mark, s->pid, "python"))
		return;
	if (!nh_space_open(&mem, &space))
		nh_read_python(k, s, &space, first, n, &p);
	nh_space_close(&space);
}

void nh_read_interpreters(struct nh_collector *k)
{
	int64_t until = k->began_ms + k->o->timeout_ms / 2;

	if (k->recorded)
		return;
	nh_for(s, &k->subjects)
		if (!s->ended && nh_now_ms() < until)
			read_one(k, s);
}
