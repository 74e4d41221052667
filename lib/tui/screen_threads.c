#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "graph/silhouette.h"
#include "tui/screens.h"

#define LESS(a, b) (((a) > (b)) - ((a) < (b)))

/* What the elements of the sorted arrays are. */
static const struct nh_thread_row *row_at(const void *p)
{
	return *(const struct nh_thread_row *const *)p;
}

static int text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_tid(const void *a, const void *b)
{
	const struct nh_thread_row *x = row_at(a), *y = row_at(b);
	int r = LESS(x->ref.host, y->ref.host);

	r = r ? r : LESS(x->t->pid, y->t->pid);
	return r ? r : LESS(x->t->tid, y->t->tid);
}

static int64_t cpu(const struct nh_thread *t)
{
	return (t->utime > 0 ? t->utime : 0) + (t->stime > 0 ? t->stime : 0);
}

static int by_cpu(const void *a, const void *b)
{
	int64_t x = cpu(row_at(a)->t), y = cpu(row_at(b)->t);

	return x != y ? LESS(y, x) : by_tid(a, b);
}

static int by_wait(const void *a, const void *b)
{
	int r = text(row_at(a)->waits, row_at(b)->waits);

	return r ? r : by_tid(a, b);
}

static int by_mark(const void *a, const void *b)
{
	static const char order[] = "!+~ ";
	const struct nh_thread_row *x = row_at(a), *y = row_at(b);
	const char *p = strchr(order, x->mark), *q = strchr(order, y->mark);

	return p != q ? LESS(p, q) : by_tid(a, b);
}

/* Equal where two threads are one row of the folded list: the stack tells, else the wait. */
static int by_stack(const void *a, const void *b)
{
	const struct nh_thread_row *x = row_at(a), *y = row_at(b);
	int r = LESS(x->ref.host, y->ref.host);

	r = r ? r : LESS(x->t->stack, y->t->stack);
	if (r || x->t->stack != NH_UNKNOWN)
		return r;
	r = text(x->waits, y->waits);
	return r ? r : text(x->t->comm, y->t->comm);
}

static const struct {
	const char *name;
	int (*order)(const void *a, const void *b);
} sorts[NH_SORTS] = {
	[NH_SORT_TID] = { "number", by_tid },
	[NH_SORT_CPU] = { "CPU time", by_cpu },
	[NH_SORT_WAIT] = { "wait", by_wait },
	[NH_SORT_MARK] = { "change", by_mark },
};

/* Threads that are one row. */
struct bunch {
	const struct nh_thread_row *first;
	size_t n;
};

struct bunches {
	struct bunch *v;
	size_t n, cap;
};

static int largest(const void *a, const void *b)
{
	const struct bunch *x = a, *y = b;

	return x->n != y->n ? LESS(y->n, x->n) : by_tid(&x->first, &y->first);
}

static struct bunches bunches_of(const struct nh_tui *t, struct nh_arena *a)
{
	size_t n = 0;
	const struct nh_thread_row **rows =
		nh_new(a, const struct nh_thread_row *, t->look->threads.n + 1);
	struct bunches all = { 0 };

	nh_for(r, &t->look->threads) {
		if (t->hide_idle && r->idle)
			continue;
		if (*t->filter && !strcasestr(r->text, t->filter))
			continue;
		rows[n++] = r;
	}
	if (n)
		qsort(rows, n, sizeof(*rows), t->fold ? by_stack : sorts[t->sort].order);
	for (size_t i = 0; i < n; i++) {
		if (!t->fold || !i || by_stack(&rows[i - 1], &rows[i]))
			nh_push(a, &all)->first = rows[i];
		all.v[all.n - 1].n++;
	}
	if (t->fold && all.n)
		qsort(all.v, all.n, sizeof(*all.v), largest);
	return all;
}

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	struct bunches all;

	if (!t->look)
		return;
	all = bunches_of(t, l->a);
	nh_line_add(l, NH_TONE_DIM, "%zu of %zu threads, %s%s%s%s%s", all.n, t->look->threads.n,
		t->fold ? "equal stacks folded" : "by ", t->fold ? "" : sorts[t->sort].name,
		t->hide_idle ? ", idle ones hidden" : "", *t->filter ? ", with " : "", t->filter);
	nh_line_add(l, NH_TONE_DIM, "%s       pid   thread S name            role     waits in",
		t->fold ? "      " : "");
	nh_for(b, &all) {
		unsigned style = b->first->in_chain	 ? NH_TONE_BAD
				 : b->first->mark == '!' ? NH_TONE_WARN
							 : NH_TONE_PLAIN;

		nh_line_push(l, style,
			t->fold ? nh_arena_printf(l->a, "%5zux%s", b->n, b->first->text)
				: b->first->text)
			->ref = b->first->ref;
	}
}

static void below(const struct nh_tui *t, const struct nh_line *selected, struct nh_lines *l)
{
	const struct nh_thread_row *r =
		selected ? nh_thread_row_of(t->look, selected->ref.node.row) : NULL;
	const struct nh_stack *s = r ? nh_stack_of(&t->look->graphs[r->ref.host], r->t) : NULL;

	if (s)
		nh_line_flow(l, NH_TONE_PLAIN, "stack: ", nh_stack_words(l->a, s, 0, s->frames.n));
	else if (r)
		nh_line_flow(l, NH_TONE_DIM,
			"no stack: ", r->t->no_stack ? r->t->no_stack : "none was taken");
}

const struct nh_screen_ops nh_screen_threads = {
	.title = "Threads",
	.keys = "/ filter  o order  f fold  h hide idle  Enter detail  Tab next  ? help  q quit",
	.build = build,
	.below = below,
};
