#include <string.h>
#include "model/field.h"
#include "python/object.h"

/* How far into struct pthread its TID may lie. */
#define PTHREAD_BYTES 1024

struct matching {
	const struct nh_python *py;
	struct nh_py_state *st;
	const struct nh_py_task *tasks;
	size_t n;
	uint32_t tid_at; /* in the C library's struct pthread; NH_PY_NONE = not found */
};

static size_t by_nstid(const struct matching *m, int64_t nstid)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->tasks[i].nstid == nstid)
			return i;
	return NH_PY_NO_TASK;
}

static size_t by_libc(const struct matching *m, const struct nh_py_thread *t, uint32_t at)
{
	int32_t tid;

	return nh_py_read(m->py, t->pthread + at, &tid, sizeof(tid)) ? by_nstid(m, tid)
								     : NH_PY_NO_TASK;
}

/* The offset at which most thread states lead to a thread that exists. */
static uint32_t find_tid_offset(const struct matching *m)
{
	uint32_t best = NH_PY_NONE;
	size_t most = 0;

	for (uint32_t at = 0; at < PTHREAD_BYTES; at += 4) {
		size_t votes = 0;

		nh_for(t, &m->st->threads)
			votes += by_libc(m, t, at) != NH_PY_NO_TASK;
		if (votes > most) {
			most = votes;
			best = at;
		}
	}
	return best;
}

static void set_tid_offset(struct matching *m)
{
	m->tid_at = NH_PTHREAD_TID;
	nh_for(t, &m->st->threads)
		if (by_libc(m, t, m->tid_at) != NH_PY_NO_TASK)
			return;
	m->tid_at = find_tid_offset(m);
}

/* The task whose stack lies in the mapping of addr, above its stack pointer. */
static size_t by_stack(const struct matching *m, uint64_t addr)
{
	const struct nh_map *map = nh_space_map(m->py->space, addr);

	for (size_t i = 0; map && i < m->n; i++)
		if (m->tasks[i].sp && m->tasks[i].sp <= addr && m->tasks[i].sp >= map->start)
			return i;
	return NH_PY_NO_TASK;
}

static bool taken(const struct matching *m, size_t task)
{
	nh_for(t, &m->st->threads)
		if (t->task == task)
			return true;
	return false;
}

/*
 * After a bare fork(2), which tells neither Python nor the C library, only the place of its stack
 * tells the one thread that is left from those that stayed behind: struct pthread lies on top of a
 * thread's stack, and the main thread has the oldest state and the kernel's [stack].
 */
static void by_place(const struct matching *m, struct nh_py_thread *t)
{
	bool last = t + 1 == m->st->threads.v + m->st->threads.n || t[1].interp != t->interp;
	bool oldest = last && m->st->interps.v[t->interp].id == 0;
	size_t task = by_stack(m, t->pthread);

	for (size_t i = 0; task == NH_PY_NO_TASK && oldest && i < m->n; i++) {
		const struct nh_map *map = nh_space_map(m->py->space, m->tasks[i].sp);

		if (map && map->path_len == 7 && !memcmp(map->path, "[stack]", 7))
			task = i;
	}
	if (task != NH_PY_NO_TASK && !taken(m, task))
		t->task = task;
}

/* To 3.12 the state of a sub-interpreter names the thread that created it.  The C frame, where
 * there is one, lies on the stack of the thread that runs it. */
static bool by_cframe(const struct matching *m, struct nh_py_thread *t)
{
	if (!m->st->interps.v[t->interp].id || m->py->layout.at[NH_PY_CFRAME_FRAME] == NH_PY_NONE)
		return false;
	t->task = by_stack(m, t->frame);
	return t->task != NH_PY_NO_TASK;
}

void nh_py_match_tasks(const struct nh_python *py, struct nh_py_state *st,
	const struct nh_py_task *tasks, size_t n)
{
	struct matching m = { .py = py, .st = st, .tasks = tasks, .n = n };
	size_t lost = 0;

	nh_for(t, &st->threads) {
		if (by_cframe(&m, t))
			continue;
		/* A state that has not been given to a thread yet, or whose thread is gone. */
		if (t->native != NH_UNKNOWN)
			t->task = t->native ? by_nstid(&m, t->native) : NH_PY_NO_TASK;
		lost += t->task == NH_PY_NO_TASK && t->pthread;
	}
	if (!lost)
		return;
	set_tid_offset(&m);
	nh_for(t, &st->threads)
		if (t->task == NH_PY_NO_TASK && t->pthread && m.tid_at != NH_PY_NONE)
			t->task = by_libc(&m, t, m.tid_at);
	nh_for(t, &st->threads)
		if (t->task == NH_PY_NO_TASK && t->pthread)
			by_place(&m, t);
}
