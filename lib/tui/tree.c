#include "tui/tree.h"

#include <stdlib.h>

static const char *role(const struct nh_look *l, size_t host, const struct nh_process *p)
{
	static const char *const why[] = { [NH_WHY_TARGET] = "target",
		[NH_WHY_FOUND] = "found",
		[NH_WHY_DESCENDANT] = "descendant",
		[NH_WHY_HOLDER] = "holder",
		[NH_WHY_ANCESTOR] = "ancestor" };

	if (nh_look_culprit(l, host, p->pid))
		return "culprit";
	nh_for(row, &l->threads)
		if (row->in_chain && row->ref.host == host && row->t->pid == p->pid)
			return "waits";
	return p->why > 0 && p->why <= NH_WHY_ANCESTOR ? why[p->why] : "";
}

static int by_parent(const void *a, const void *b)
{
	const struct nh_process *x = *(const struct nh_process *const *)a;
	const struct nh_process *y = *(const struct nh_process *const *)b;

	if (x->ppid != y->ppid)
		return x->ppid < y->ppid ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The children of pid in the list that is ordered by parent: the first, and how many. */
static size_t children(const struct nh_process *const *list, size_t n, int64_t pid, size_t *count)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (list[mid]->ppid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*count = 0; lo + *count < n && list[lo + *count]->ppid == pid; ++*count)
		;
	return lo;
}

/* The walk over one host. */
struct walk {
	struct nh_look *l;
	size_t host, n, top;
	const struct nh_process **list; /* by parent */
	bool *seen;
	struct {
		size_t at;
		int depth;
	} * stack;
};

static void push(struct walk *w, size_t at, int depth)
{
	if (w->seen[at])
		return;
	w->seen[at] = true;
	w->stack[w->top].at = at;
	w->stack[w->top++].depth = depth;
}

/* A process and all below it, each before its children. */
static void descend(struct walk *w, size_t at)
{
	push(w, at, 0);
	while (w->top) {
		size_t i = w->stack[--w->top].at, count;
		int depth = w->stack[w->top].depth;
		size_t first = children(w->list, w->n, w->list[i]->pid, &count);

		*nh_push(w->l->a, &w->l->processes) = (struct nh_process_row){
			.ref = { w->host, { NH_NODE_PROCESS, w->list[i] } },
			.p = w->list[i],
			.role = role(w->l, w->host, w->list[i]),
			.depth = depth
		};
		while (count-- > 0)
			push(w, first + count, depth + 1);
	}
}

void nh_tree_add(struct nh_look *l, size_t host)
{
	const struct nh_index *ix = &l->graphs[host].ix;
	size_t n = ix->processes.n;
	struct walk w = { .l = l, .host = host, .n = n };

	w.list = nh_new(l->a, const struct nh_process *, n + 1);
	w.seen = nh_new(l->a, bool, n + 1);
	w.stack = nh_arena_alloc(l->a, n + 1, sizeof(*w.stack));
	for (size_t i = 0; i < n; i++)
		w.list[i] = ix->processes.v[i];
	if (n)
		qsort(w.list, n, sizeof(*w.list), by_parent);
	for (size_t i = 0; i < n; i++)
		if (!nh_index_process(ix, w.list[i]->ppid))
			descend(&w, i);
	/* Who is its own ancestor comes from a damaged case, and must not vanish. */
	for (size_t i = 0; i < n; i++)
		if (!w.seen[i])
			descend(&w, i);
}
