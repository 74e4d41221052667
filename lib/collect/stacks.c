#include <errno.h>
#include <string.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/python.h"
#include "stack/symbol.h"
#include "stack/take.h"

/* The stacks of one subject between taking them and naming them. */
struct taken {
	struct nh_subject *subject;
	struct nh_space space;
	struct nh_subject_python python;
	struct nh_taken *of; /* by thread, as in the case */
	size_t n, first;     /* threads, and the row of the first */
};

/* Stacks stored so far, by hash, so that equal ones share a number. */
struct pool {
	struct nh_collector *k;
	NH_VEC(uint64_t) hashes; /* of c->stacks.v[i] */
};

/* Why a thread has no stack: what kept it from being stopped, where that was tried. */
static const char *no_stack(struct nh_collector *k, const struct nh_taken *t)
{
	int err = t->err == -EAGAIN && t->trace_err ? t->trace_err : t->err;

	switch (err) {
	case -EAGAIN:
		return k->o->no_stop
			       ? "it was running; --no-stop forbids to stop it"
			       : "it was running, and time ran out before it could be stopped";
	case -ETIME:
		return "time ran out before its turn";
	case -ETIMEDOUT:
		return "it was running and did not stop in time";
	case -EPERM:
		return "permission denied, or another tracer is attached";
	default:
		return nh_arena_strdup(k->a, strerror(-err));
	}
}

static const char *module_of(const struct nh_step *step)
{
	const char *base = step->image ? strrchr(step->image->path, '/') : NULL;

	return base ? base + 1 : step->image ? step->image->path : NULL;
}

static void add_frames(struct nh_collector *k, struct nh_stack *row, const struct nh_step *step)
{
	const struct nh_symbol *sym = step->symbol;

	do {
		struct nh_frame *f = nh_push(k->a, &row->frames);

		/* Symbols live as long as the collector; images go with their address space. */
		*f = (struct nh_frame){ .offset = step->offset,
			.line = NH_UNKNOWN,
			.signal = step->signal,
			.guessed = step->guessed,
			.module = nh_arena_strdup(k->a, module_of(step)) };
		/* Where there is no name this tells which build the offset is in. */
		if ((!sym || sym->nearest) && step->image)
			f->build_id = nh_arena_strdup(k->a, step->image->build_id);
		if (!sym)
			return;
		f->func = sym->name;
		f->into = sym->offset;
		f->inlined = sym->inlined;
		f->nearest = sym->nearest;
		f->generated = sym->generated;
		sym = f->inlined ? sym->outer : NULL;
	} while (sym);
}

static void add_python(struct nh_collector *k, struct nh_stack *row, const struct nh_py_frame *py)
{
	*nh_push(k->a, &row->frames) = (struct nh_frame){
		.python = true, .func = py->func, .file = py->file, .line = py->line
	};
}

static uint64_t hash_text(const char *s, uint64_t h)
{
	return s ? nh_hash(s, strlen(s), h) : h + 1;
}

static uint64_t hash_stack(
	const struct nh_walk *w, const struct nh_merged_stack *m, const char *why)
{
	uint64_t h = hash_text(why, w->complete);

	for (size_t i = 0; i < m->n; i++) {
		const struct nh_py_frame *py = m->v[i].py;
		const struct nh_step *step = &w->v[py ? 0 : m->v[i].step];

		if (py) {
			h = hash_text(py->file, hash_text(py->func, h));
			h = nh_hash(&py->line, sizeof(py->line), h);
		} else {
			h = hash_text(step->image ? step->image->key : NULL, h);
			h = nh_hash(&step->offset, sizeof(step->offset), h);
		}
	}
	return h;
}

/* The number of the stack of the subject's i-th thread. */
static int64_t store(struct pool *p, struct taken *t, size_t at)
{
	struct nh_collector *k = p->k;
	const struct nh_walk *w = &t->of[at].walk;
	struct nh_merged_stack m;
	struct nh_stack *row;
	const char *python;
	uint64_t h;

	nh_merge_python(k, &t->python, at, w, &m, &python);
	h = hash_stack(w, &m, python);
	for (size_t i = 0; i < p->hashes.n; i++)
		if (p->hashes.v[i] == h)
			return k->c->stacks.v[i].stack;
	*nh_push(k->a, &p->hashes) = h;
	row = nh_case_row(k->c, stack, stacks);
	row->stack = (int64_t)k->c->stacks.n;
	row->complete = w->complete;
	row->why = nh_arena_strdup(k->a, w->why);
	row->python = python;
	for (size_t i = 0; i < m.n; i++) {
		if (m.v[i].py)
			add_python(k, row, m.v[i].py);
		else
			add_frames(k, row, &w->v[m.v[i].step]);
	}
	return row->stack;
}

/* Who traces us stops us: stopped by us in turn, both would stand for good. */
static bool has_our_tracer(const struct nh_collector *k, const int64_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tids[i] == k->tracer)
			return true;
	return false;
}

/* Takes the stacks of one subject's threads; false if it has none to take. */
static bool take(struct nh_collector *k, struct nh_subject *s, int64_t until_ms, struct taken *ret)
{
	struct nh_mem mem = { .pid = s->live_tid, .dir = s->live };
	struct nh_take_options o = {
		.no_stop = k->o->no_stop, .consistent = k->o->consistent, .until_ms = until_ms
	};
	const struct nh_thread *t = k->c->threads.v;
	int64_t *tids;
	int r;

	*ret = (struct taken){ .subject = s };
	for (size_t i = 0; i < k->c->threads.n; i++) {
		if (t[i].pid != s->pid || t[i].sample != k->sample)
			continue;
		if (!ret->n++)
			ret->first = i;
	}
	if (!ret->n || !nh_mark_begin(k->mark, s->pid, "stacks"))
		return false;
	tids = nh_new(k->a, int64_t, ret->n);
	for (size_t i = 0; i < ret->n; i++)
		tids[i] = t[ret->first + i].tid;
	o.no_stop |= has_our_tracer(k, tids, ret->n);
	ret->of = nh_new(k->a, struct nh_taken, ret->n);
	r = nh_space_open(&mem, &ret->space);
	if (!r) {
		nh_read_python(k, s, &ret->space, ret->first, ret->n, &ret->python);
		o.chains = ret->python.chains;
		r = nh_take_stacks(&ret->space, tids, ret->n, &o, k->a, ret->of);
	}
	if (!r)
		return true;
	nh_space_close(&ret->space);
	nh_gap_errno(k, s->pid, "stacks", -r, false);
	return false;
}

/* The target's stacks carry half of the rules: without them nobody may be acquitted. */
static void say_late(struct nh_collector *k, const struct taken *t)
{
	bool target = t->subject->why == NH_WHY_TARGET || t->subject->why == NH_WHY_FOUND;
	size_t late = 0;

	for (size_t i = 0; i < t->n; i++)
		late += t->of[i].err == -ETIME;
	if (late && target)
		nh_gap_said(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)t->subject->pid),
			nh_arena_printf(k->a, "stacks of %zu threads", late), "time ran out",
			nh_arena_printf(k->a, "%s --timeout %.3g", k->o->rerun,
				(double)k->o->timeout_ms * 3 / 1000),
			true);
}

static void name_and_store(struct pool *p, struct nh_symbols *names, struct taken *t)
{
	struct nh_collector *k = p->k;
	struct nh_walk **walks = nh_new(k->a, struct nh_walk *, t->n);
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->of[i].err)
			walks[n++] = &t->of[i].walk;
	nh_mark_begin(k->mark, t->subject->pid, "symbols");
	/* A server may take its time, and has its own limit. */
	if (k->o->debuginfod)
		nh_mark_idle(k->mark);
	nh_symbols_resolve(names, &t->space, walks, n);
	for (size_t i = 0; i < t->n; i++) {
		struct nh_thread *row = &k->c->threads.v[t->first + i];

		row->stopped = t->of[i].stopped;
		if (t->of[i].err)
			row->no_stack = no_stack(k, &t->of[i]);
		else
			row->stack = store(p, t, i);
	}
	say_late(k, t);
	nh_space_close(&t->space);
}

void nh_read_stacks(struct nh_collector *k)
{
	struct nh_symbols names = { .arena = k->a,
		.debuginfod_until_ms = k->o->debuginfod ? k->sample_until_ms : 0 };
	struct pool pool = { .k = k };

	if (k->recorded)
		return;
	/* Targets first: theirs are the stacks that matter if time runs out. */
	for (int pass = 0; pass < 2; pass++)
		nh_for(s, &k->subjects) {
			struct taken t;
			bool target = s->why == NH_WHY_TARGET || s->why == NH_WHY_FOUND;

			/* Of ancestors it is enough to know whether they are ranks. */
			if (!s->ended && s->why != NH_WHY_ANCESTOR && target == !pass &&
				take(k, s, k->sample_until_ms, &t))
				name_and_store(&pool, &names, &t);
		}
}
