#include "stack/take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "trace/tracer.h"

/* Nearly every stack in use is smaller; deep ones are copied anew with more. */
#define WINDOW_FIRST (32U << 10)
#define WINDOW_GROWS 8
#define WINDOW_MAX (16U << 20)
/* At one instant there is no second try. */
#define WINDOW_CONSISTENT (256U << 10)
#define TRIES_MAX 8
/* A thread that sleeps or has a CPU stops in microseconds; one that waits for a CPU has to get it
 * first, and one in uninterruptible sleep cannot. */
#define STOP_MS 200
#define STOP_ALL_MS 250

struct taking {
	struct nh_space *space;
	const struct nh_take_options *opts;
	struct nh_arena *arena;
	unsigned char *buf; /* NH_COPY_ROOM(cap) bytes, for copies without a stop */
	size_t cap;
	struct nh_tracer *tracer;
};

/* After a walk that needed more of the stack: widens the window or adds a further stack. */
static bool widen(const struct nh_stack_copy *copy, const struct nh_walk *walk, struct nh_window *w)
{
	uint64_t want = walk->outside;

	if (walk->complete || !want)
		return false;
	for (size_t i = 0; i < NH_PARTS; i++) {
		const struct nh_part *p = &copy->part[i];

		if (p->cut && want >= p->base && want - p->base < WINDOW_MAX) {
			w->bytes *= WINDOW_GROWS;
			return w->bytes <= WINDOW_MAX;
		}
	}
	for (size_t i = 0; i < NH_PARTS - 1; i++) {
		if (!w->also[i]) {
			w->also[i] = want & ~4095ULL;
			return true;
		}
	}
	return false;
}

static int copy_blocked(
	struct taking *t, int64_t tid, const struct nh_window *w, struct nh_stack_copy *ret)
{
	if (w->bytes > t->cap) {
		unsigned char *grown = realloc(t->buf, NH_COPY_ROOM(w->bytes));

		if (!grown)
			return -ENOMEM;
		t->buf = grown;
		t->cap = w->bytes;
	}
	return nh_capture_blocked(&t->space->mem, tid, w, t->buf, ret);
}

static int copy_stopped(
	struct taking *t, int64_t tid, const struct nh_window *w, struct nh_stack_copy *ret)
{
	struct nh_trace_job job = { .tid = tid, .window = *w };
	int rc = t->tracer ? 0 : nh_tracer_new(1, WINDOW_MAX, &t->tracer);

	if (!rc)
		rc = nh_tracer_copy(t->tracer, t->space->mem.pid, &job, 1, STOP_MS);
	if (!rc)
		rc = job.err;
	if (!rc)
		*ret = *job.copy;
	return rc;
}

typedef int copy_fn(
	struct taking *t, int64_t tid, const struct nh_window *w, struct nh_stack_copy *ret);

static struct nh_window window_of(const struct taking *t, size_t i, size_t bytes)
{
	struct nh_window w = { .bytes = bytes };

	if (t->opts->chains)
		memcpy(w.chain, t->opts->chains[i], sizeof(w.chain));
	return w;
}

/* The copy's buffer is used anew for the next thread. */
static void keep_nodes(struct nh_arena *a, const struct nh_stack_copy *copy, struct nh_walk *walk)
{
	memcpy(walk->nodes, copy->nodes, sizeof(walk->nodes));
	for (size_t i = 0; i < NH_CHAINS; i++)
		if (copy->nodes[i].bytes)
			walk->nodes[i].bytes = memcpy(nh_new(a, unsigned char, copy->nodes[i].len),
				copy->nodes[i].bytes, copy->nodes[i].len);
}

/* Copies and walks until the copy was wide enough.  A try that fails leaves the one before. */
static int take_one(struct taking *t, size_t at, int64_t tid, copy_fn *copy, struct nh_walk *ret)
{
	struct nh_window w = window_of(t, at, WINDOW_FIRST);
	struct nh_stack_copy stack;
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES_MAX; i++) {
		int err = copy(t, tid, &w, &stack);

		if (err)
			return i ? 0 : err;
		rc = 0;
		nh_unwind(t->space, &stack, t->arena, ret);
		keep_nodes(t->arena, &stack, ret);
		if (!widen(&stack, ret, &w))
			break;
	}
	return rc;
}

static bool late(const struct taking *t)
{
	return nh_now_ms() >= t->opts->until_ms;
}

/* Whether a stop could show more than was seen without one. */
static bool wants_stop(const struct nh_taken *r)
{
	return r->err ? r->err == -EAGAIN : !r->walk.complete;
}

static void take_stopped(struct taking *t, size_t at, struct nh_taken *r)
{
	struct nh_walk walk = { 0 };

	r->trace_err = take_one(t, at, r->tid, copy_stopped, &walk);
	r->stopped = !r->trace_err;
	if (r->trace_err || (!r->err && !walk.complete && walk.n <= r->walk.n))
		return;
	r->err = 0;
	r->walk = walk;
}

static int take_consistent(struct taking *t, struct nh_taken *ret, size_t n)
{
	struct nh_trace_job *jobs = nh_new(t->arena, struct nh_trace_job, n);
	int rc = nh_tracer_new(n, WINDOW_CONSISTENT, &t->tracer);

	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct nh_trace_job){ ret[i].tid, window_of(t, i, WINDOW_CONSISTENT) };
	if (!rc)
		rc = nh_tracer_copy(t->tracer, t->space->mem.pid, jobs, n, STOP_ALL_MS);
	for (size_t i = 0; i < n && !rc; i++) {
		ret[i].err = ret[i].trace_err = jobs[i].err;
		ret[i].stopped = !jobs[i].err;
		if (!ret[i].stopped)
			continue;
		nh_unwind(t->space, jobs[i].copy, t->arena, &ret[i].walk);
		keep_nodes(t->arena, jobs[i].copy, &ret[i].walk);
	}
	return rc;
}

static void take_gently(struct taking *t, struct nh_taken *ret, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret[i].err =
			late(t) ? -ETIME : take_one(t, i, ret[i].tid, copy_blocked, &ret[i].walk);
	for (size_t i = 0; i < n && !t->opts->no_stop && !late(t); i++)
		if (wants_stop(&ret[i]))
			take_stopped(t, i, &ret[i]);
}

int nh_take_stacks(struct nh_space *s, const int64_t *tids, size_t n,
	const struct nh_take_options *o, struct nh_arena *a, struct nh_taken *ret)
{
	struct taking t = { .space = s, .opts = o, .arena = a };
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct nh_taken){ .tid = tids[i] };
	if (o->consistent && !o->no_stop)
		rc = take_consistent(&t, ret, n);
	else
		take_gently(&t, ret, n);
	nh_tracer_free(t.tracer);
	free(t.buf);
	return rc;
}
