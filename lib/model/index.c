#include "model/index.h"

#include <stdlib.h>
#include <string.h>

/* Orders of the pointer arrays; each compares only its key, so it serves sorting and searching. */
#define LESS(a, b) (((a) > (b)) - ((a) < (b)))

static int text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_pid(const void *a, const void *b)
{
	const struct nh_process *x = *(const struct nh_process *const *)a;
	const struct nh_process *y = *(const struct nh_process *const *)b;

	return LESS(x->pid, y->pid);
}

static int by_tid(const void *a, const void *b)
{
	const struct nh_thread *x = *(const struct nh_thread *const *)a;
	const struct nh_thread *y = *(const struct nh_thread *const *)b;
	int r = LESS(x->pid, y->pid);

	return r ? r : LESS(x->tid, y->tid);
}

static int by_inode(const void *a, const void *b)
{
	const struct nh_socket *x = *(const struct nh_socket *const *)a;
	const struct nh_socket *y = *(const struct nh_socket *const *)b;

	return LESS(x->inode, y->inode);
}

static int by_tuple(const void *a, const void *b)
{
	const struct nh_socket *x = *(const struct nh_socket *const *)a;
	const struct nh_socket *y = *(const struct nh_socket *const *)b;
	int r = LESS(x->netns, y->netns);

	r = r ? r : text(x->local, y->local);
	return r ? r : text(x->remote, y->remote);
}

static int by_holder(const void *a, const void *b)
{
	const struct nh_fd *x = *(const struct nh_fd *const *)a;
	const struct nh_fd *y = *(const struct nh_fd *const *)b;
	int r = LESS(x->inode, y->inode);

	r = r ? r : LESS(x->pid, y->pid);
	return r ? r : LESS(x->fd, y->fd);
}

static int by_fd(const void *a, const void *b)
{
	const struct nh_fd *x = *(const struct nh_fd *const *)a;
	const struct nh_fd *y = *(const struct nh_fd *const *)b;
	int r = LESS(x->pid, y->pid);

	r = r ? r : LESS(x->tid, y->tid);
	return r ? r : LESS(x->fd, y->fd);
}

static int by_number(const void *a, const void *b)
{
	const struct nh_stack *x = *(const struct nh_stack *const *)a;
	const struct nh_stack *y = *(const struct nh_stack *const *)b;

	return LESS(x->stack, y->stack);
}

#define FILL(table, into, condition)                                                               \
	nh_for(row, &c->table)                                                                     \
		if (row->sample == sample && (condition))                                          \
	*nh_push(a, &ret->into) = row

#define SORT(array, order)                                                                         \
	if (ret->array.n)                                                                          \
	qsort(ret->array.v, ret->array.n, sizeof(*ret->array.v), order)

#define FIND(array, key, order)                                                                    \
	(ix->array.n ? bsearch(&(key), ix->array.v, ix->array.n, sizeof(*ix->array.v), order)      \
		     : NULL)

void nh_index_build(
	struct nh_arena *a, const struct nh_case *c, int64_t sample, struct nh_index *ret)
{
	*ret = (struct nh_index){ .c = c, .sample = sample };
	FILL(processes, processes, true);
	FILL(threads, threads, true);
	FILL(sockets, sockets, row->inode > 0);
	FILL(sockets, tuples, row->local && row->family != NH_UNIX);
	FILL(fds, holders, row->inode > 0);
	FILL(fds, fds, true);
	nh_for(stack, &c->stacks)
		*nh_push(a, &ret->stacks) = stack;
	SORT(stacks, by_number);
	SORT(processes, by_pid);
	SORT(threads, by_tid);
	SORT(sockets, by_inode);
	SORT(tuples, by_tuple);
	SORT(holders, by_holder);
	SORT(fds, by_fd);
}

const struct nh_process *nh_index_process(const struct nh_index *ix, int64_t pid)
{
	const struct nh_process key = { .pid = pid }, *k = &key;
	const struct nh_process **p = FIND(processes, k, by_pid);

	return p ? *p : NULL;
}

const struct nh_thread *nh_index_thread(const struct nh_index *ix, int64_t pid, int64_t tid)
{
	const struct nh_thread key = { .pid = pid, .tid = tid }, *k = &key;
	const struct nh_thread **t = FIND(threads, k, by_tid);

	return t ? *t : NULL;
}

const struct nh_thread *const *nh_index_threads(const struct nh_index *ix, int64_t pid, size_t *n)
{
	size_t lo = 0, hi = ix->threads.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ix->threads.v[mid]->pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t first = lo;

	hi = ix->threads.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ix->threads.v[mid]->pid <= pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	*n = lo - first;
	return *n ? ix->threads.v + first : NULL;
}

const struct nh_thread *nh_index_thread_ns(const struct nh_index *ix, int64_t pid, int64_t nstid)
{
	size_t n;
	const struct nh_thread *const *t = nh_index_threads(ix, pid, &n);

	for (size_t i = 0; i < n; i++)
		if (t[i]->nstid == nstid)
			return t[i];
	return NULL;
}

const struct nh_socket *nh_index_socket(const struct nh_index *ix, int64_t inode)
{
	const struct nh_socket key = { .inode = inode }, *k = &key;
	const struct nh_socket **s = FIND(sockets, k, by_inode);

	return s ? *s : NULL;
}

const struct nh_socket *nh_index_peer(const struct nh_index *ix, const struct nh_socket *s)
{
	if (s->family == NH_UNIX)
		return s->peer_inode > 0 ? nh_index_socket(ix, s->peer_inode) : NULL;
	if (s->state == NH_TCP_LISTEN)
		return NULL;

	const struct nh_socket key = { .netns = s->netns, .local = s->remote, .remote = s->local };
	const struct nh_socket *k = &key, **p = FIND(tuples, k, by_tuple);

	return p && *p != s ? *p : NULL;
}

const struct nh_fd *nh_index_fd(const struct nh_index *ix, const struct nh_thread *t, int64_t fd)
{
	const struct nh_fd key = {
		.pid = t->pid, .tid = t->own_fds ? t->tid : NH_UNKNOWN, .fd = fd
	};
	const struct nh_fd *k = &key, **f = FIND(fds, k, by_fd);

	return f ? *f : NULL;
}

const struct nh_fd *const *nh_index_fds(
	const struct nh_index *ix, int64_t pid, int64_t tid, size_t *n)
{
	const struct nh_fd key = { .pid = pid, .tid = tid, .fd = NH_UNKNOWN }, *k = &key;
	size_t lo = 0, hi = ix->fds.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_fd(&ix->fds.v[mid], &k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < ix->fds.n && ix->fds.v[lo + *n]->pid == pid &&
		     ix->fds.v[lo + *n]->tid == tid;
		++*n)
		;
	return *n ? ix->fds.v + lo : NULL;
}

const struct nh_fd *const *nh_index_holders(const struct nh_index *ix, int64_t inode, size_t *n)
{
	size_t lo = 0, hi = ix->holders.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ix->holders.v[mid]->inode < inode)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < ix->holders.n && ix->holders.v[lo + *n]->inode == inode; ++*n)
		;
	return *n ? ix->holders.v + lo : NULL;
}

bool nh_index_stack_at(const struct nh_index *ix, int64_t stack, size_t *ret)
{
	const struct nh_stack key = { .stack = stack }, *k = &key;
	const struct nh_stack **s = FIND(stacks, k, by_number);

	if (s)
		*ret = (size_t)(s - ix->stacks.v);
	return s;
}

const struct nh_stack *nh_index_stack(const struct nh_index *ix, int64_t stack)
{
	size_t at;

	return nh_index_stack_at(ix, stack, &at) ? ix->stacks.v[at] : NULL;
}
