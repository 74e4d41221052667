#include <inttypes.h>
#include <stdlib.h>
#include "base/set.h"
#include "base/str.h"
#include "report/words.h"

#define GROUPS_SHOWN 4	/* of those in no finding's chain */
#define THREADS_SHOWN 4 /* named in a group's heading */
#define FOLD_MIN 3	/* shared outer frames worth folding */
#define LOOKED_BACK 64	/* stacks above one that are compared with it */

/* Threads with one and the same stack, of however many processes. */
struct bunch {
	const struct nh_stack *stack;
	NH_VEC(const struct nh_thread *) threads;
	const struct nh_group *first; /* what the first of them does */
	bool in_chain;
};

struct bunches {
	struct bunch *v;
	size_t n, cap;
};

/* Of the process that a finding names, or of the thread if it does. */
static bool is_culprit(const struct nh_case *c, const struct nh_thread *t)
{
	nh_for(f, &c->verdict.findings)
		if (f->culprit && f->culprit->pid == t->pid &&
			(f->culprit->tid == t->tid || f->culprit->tid == NH_UNKNOWN))
			return true;
	return false;
}

static void gather(struct nh_arena *a, const struct nh_case *c, const struct nh_groups *groups,
	struct bunches *ret)
{
	nh_for(s, &c->stacks)
		*nh_push(a, ret) = (struct bunch){ .stack = s };
	nh_for(g, groups)
		nh_for(t, &g->threads)
			nh_for(b, ret)
				if (b->stack->stack == (*t)->stack) {
					*nh_push(a, &b->threads) = *t;
					b->first = b->first ? b->first : g;
					b->in_chain |=
						g->standing == NH_IN_CHAIN || is_culprit(c, *t);
					break;
				}
}

static int telling_first(const void *a, const void *b)
{
	const struct bunch *x = a, *y = b;

	if (x->in_chain != y->in_chain)
		return y->in_chain - x->in_chain;
	if (!x->in_chain && x->first != y->first && x->first && y->first &&
		x->first->standing != y->first->standing)
		return (int)x->first->standing - (int)y->first->standing;
	if (!x->in_chain && x->threads.n != y->threads.n)
		return x->threads.n < y->threads.n ? 1 : -1;
	return (x->stack->stack > y->stack->stack) - (x->stack->stack < y->stack->stack);
}

const char *nh_frame_words(struct nh_arena *a, size_t i, const struct nh_frame *f)
{
	const char *where = f->module ? f->module : "no file";
	const char *mark = f->inlined	  ? " (inlined)"
			   : f->guessed	  ? " (by frame pointer)"
			   : f->generated ? " (generated code)"
					  : "";

	if (f->python)
		return nh_arena_printf(
			a, "#%-2zu py %s:%" PRId64 " %s", i, f->file, f->line, f->func);
	if (f->signal)
		return nh_arena_printf(a, "#%-2zu <signal handler called>", i);
	if (!f->func)
		return nh_arena_printf(a, "#%-2zu %s+0x%" PRIx64 "%s%.8s%s%s", i, where, f->offset,
			f->build_id ? " [" : "", f->build_id ? f->build_id : "",
			f->build_id ? "]" : "", mark);
	if (f->nearest)
		return nh_arena_printf(a, "#%-2zu %s+0x%" PRIx64 ", after export %s%s", i, where,
			f->offset, f->func, mark);
	if (f->inlined)
		return nh_arena_printf(a, "#%-2zu %s%s", i, f->func, mark);
	return nh_arena_printf(
		a, "#%-2zu %s+0x%" PRIx64 "  %s%s", i, f->func, f->into, where, mark);
}

static bool same_frame(const struct nh_frame *a, const struct nh_frame *b)
{
	return a->offset == b->offset && a->line == b->line && nh_streq(a->func, b->func) &&
	       nh_streq(a->module, b->module) && nh_streq(a->file, b->file);
}

static size_t shared_outer(const struct nh_stack *a, const struct nh_stack *b)
{
	size_t n = 0;

	while (n < a->frames.n && n < b->frames.n &&
		same_frame(&a->frames.v[a->frames.n - 1 - n], &b->frames.v[b->frames.n - 1 - n]))
		n++;
	return n;
}

static size_t count_processes(struct nh_arena *a, const struct bunch *b)
{
	struct nh_set pids = { 0 };

	nh_for(t, &b->threads)
		nh_set_add(a, &pids, (uint64_t)(*t)->pid);
	return pids.n;
}

static const char *threads_words(struct nh_arena *a, const struct bunch *b)
{
	const char *s = "";
	size_t processes = count_processes(a, b);

	for (size_t i = 0; i < b->threads.n && i < THREADS_SHOWN; i++)
		s = nh_join(a, s,
			nh_arena_printf(a, "%" PRId64 " (%s)", b->threads.v[i]->tid,
				b->threads.v[i]->comm ? b->threads.v[i]->comm : "?"));
	if (b->threads.n > THREADS_SHOWN)
		s = nh_arena_printf(a, "%s and %zu more", s, b->threads.n - THREADS_SHOWN);
	if (processes > 1)
		s = nh_arena_printf(a, "%s, of %zu processes", s, processes);
	return nh_arena_printf(a, "%s %s: %s, %s", b->threads.n == 1 ? "thread" : "threads", s,
		b->first->who ? b->first->who : "?", nh_standing_word(b->first->standing));
}

/* Frames, the outer ones left out where a stack shown above ends in the same ones. */
static void one_stack(
	struct nh_doc *d, const struct nh_view *v, const struct bunches *all, size_t i)
{
	const struct bunch *b = &all->v[i];
	const struct nh_stack *s = b->stack;
	size_t folded = 0, with = 0;

	for (size_t j = i > LOOKED_BACK ? i - LOOKED_BACK : 0; !v->all && j < i; j++) {
		size_t n = shared_outer(s, all->v[j].stack);

		if (n > folded) {
			folded = n;
			with = j;
		}
	}
	if (folded < FOLD_MIN || folded == s->frames.n)
		folded = 0;
	nh_doc_add(d, NH_B_PARA, threads_words(d->arena, b));
	for (size_t f = 0; f < s->frames.n - folded; f++)
		nh_doc_add(d, NH_B_LINE, nh_frame_words(d->arena, f, &s->frames.v[f]));
	if (folded)
		nh_doc_printf(d, NH_B_LINE, "    … %zu outer frames as in thread %" PRId64, folded,
			all->v[with].threads.v[0]->tid);
	if (!s->complete)
		nh_doc_printf(d, NH_B_LINE, "    the stack goes on: %s",
			s->why ? s->why : "why the unwinding ended is not known");
	if (s->python)
		nh_doc_printf(d, NH_B_LINE, "    %s", s->python);
}

static void missing(struct nh_doc *d, const struct nh_case *c)
{
	int64_t last = nh_last_sample(c);

	nh_for(t, &c->threads)
		if (t->sample == last && t->no_stack)
			nh_doc_printf(d, NH_B_ITEM, "no stack of thread %" PRId64 ": %s", t->tid,
				t->no_stack);
}

void nh_words_stacks(struct nh_doc *d, const struct nh_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct nh_case *c = v->cases[i];
		struct bunches all = { 0 };
		size_t others = 0, hidden = 0;

		gather(d->arena, c, &v->groups[i], &all);
		if (!all.n)
			continue;
		qsort(all.v, all.n, sizeof(*all.v), telling_first);
		nh_doc_detail(d, "Stacks%s%s", v->n > 1 ? " on " : "",
			v->n > 1 && c->host ? c->host : "");
		nh_words_python(d, v, c);
		for (size_t b = 0; b < all.n; b++) {
			if (!all.v[b].threads.n)
				continue;
			if (!all.v[b].in_chain && !v->all &&
				(all.v[b].first->standing == NH_IDLE || ++others > GROUPS_SHOWN)) {
				hidden++;
				continue;
			}
			one_stack(d, v, &all, b);
		}
		missing(d, c);
		if (hidden)
			nh_doc_printf(d, NH_B_PARA, "%zu further stack%s (--all shows them)",
				hidden, hidden == 1 ? "" : "s");
	}
}
