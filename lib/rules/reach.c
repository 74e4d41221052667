#include "rules/reach.h"

#include <string.h>
#include "graph/edges.h"
#include "graph/interpreter.h"
#include "rules/role.h"
#include "base/str.h"

struct walk {
	const struct nh_graph *g;
	struct nh_reach *r;
};

static void add(struct walk *w, const struct nh_process *p)
{
	/* Of an ancestor nothing but its identity was read. */
	if (!p || p->why == NH_WHY_ANCESTOR) {
		w->r->unseen = true;
		return;
	}
	for (size_t i = 0; i < w->r->n; i++)
		if (w->r->processes[i] == p)
			return;
	if (w->r->n == NH_REACH_MAX)
		w->r->unseen = true;
	else
		w->r->processes[w->r->n++] = p;
}

/* The processes that share memory, or have each other's PID, by birth. A parent that is not of the
 * job does not wake anybody's futex. */
static void add_family(struct walk *w, const struct nh_process *p)
{
	const struct nh_process *parent = nh_index_process(&w->g->ix, p->ppid);
	bool kin = parent && parent->why != NH_WHY_ANCESTOR;

	if (kin)
		add(w, parent);
	nh_for(other, &w->g->ix.processes)
		if ((*other)->ppid == p->pid || (kin && (*other)->ppid == parent->pid))
			add(w, *other);
}

static void add_holders(struct walk *w, int64_t inode, char mode)
{
	size_t n, found = 0;
	const struct nh_fd *const *h = nh_index_holders(&w->g->ix, inode, &n);

	for (size_t i = 0; i < n; i++) {
		if (h[i]->kind == NH_FD_CLOSED || (mode && h[i]->mode && !strchr(h[i]->mode, mode)))
			continue;
		found++;
		add(w, nh_index_process(&w->g->ix, h[i]->pid));
	}
	if (!found)
		w->r->unseen = true;
}

/* Whoever has the other end of a descriptor; false if what comes through it comes from outside. */
static bool add_other_end(
	struct walk *w, const struct nh_thread *t, const struct nh_pollfd *slot, bool writes)
{
	const struct nh_fd *fd = nh_index_fd(&w->g->ix, t, slot->fd);
	const struct nh_socket *s, *peer;

	if (!fd || fd->inode <= 0)
		return false;
	if (fd->kind == NH_FD_PIPE) {
		add_holders(w, fd->inode, writes ? 'r' : 'w');
		return true;
	}
	s = fd->kind == NH_FD_SOCKET ? nh_index_socket(&w->g->ix, fd->inode) : NULL;
	peer = s ? nh_index_peer(&w->g->ix, s) : NULL;
	if (!peer || s->state == NH_TCP_LISTEN || (!writes && s->rx_queue > 0))
		return false;
	add_holders(w, peer->inode, 0);
	return true;
}

static bool descriptors_rest(struct walk *w, const struct nh_thread *t, const struct nh_wait *wait)
{
	bool one = wait->kind == NH_WAIT_READ || wait->kind == NH_WAIT_WRITE;

	if (!t->waits.n || (!one && wait->timeout_ms != -1))
		return false;
	nh_for(slot, &t->waits)
		if (!add_other_end(w, t, slot, wait->kind == NH_WAIT_WRITE))
			return false;
	return true;
}

static bool children_rest(struct walk *w, const struct nh_thread *t, const struct nh_wait *wait)
{
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n, found = 0;
	const struct nh_edge *e = nh_graph_out(w->g, node, NH_EDGE_CHILD, &n);

	for (size_t i = 0; i < n; i++, found++)
		add(w, e[i].to.row);
	/* wait4(-1): any child will do. */
	if (wait->child == NH_UNKNOWN)
		nh_for(p, &w->g->ix.processes)
			if ((*p)->ppid == t->pid) {
				found++;
				add(w, *p);
			}
	if (!found)
		w->r->unseen = true;
	return true;
}

bool nh_waits_for_wake(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);

	return w.kind == NH_WAIT_FUTEX && w.timeout_ms == -1;
}

static bool futex_rests(struct walk *w, const struct nh_thread *t, const struct nh_wait *wait,
	const struct nh_process *p)
{
	enum { PRIVATE = 128 };
	struct nh_node node = { NH_NODE_THREAD, t };
	size_t n;

	if (wait->timeout_ms != -1)
		return false;
	if (!(wait->futex_op & PRIVATE) && !nh_graph_out(w->g, node, NH_EDGE_JOINS, &n))
		add_family(w, p);
	return true;
}

bool nh_is_bystander(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_role role = nh_role_of(g, t);

	if (!role.idle)
		return false;
	switch (role.role) {
	case NH_THREAD_TENSORBOARD:
	case NH_THREAD_PROGRESS_BAR:
	case NH_THREAD_WATCHDOG:
	case NH_THREAD_HEARTBEAT:
	case NH_THREAD_HOOK:
	case NH_THREAD_AUTOGRAD:
	case NH_THREAD_OPENMP:
	case NH_THREAD_OPENBLAS:
	case NH_THREAD_JEMALLOC:
		return true;
	default:
		return role.nccl != NH_ROLE_NONE;
	}
}

/* Who wants the GIL wakes every few milliseconds, to ask for it anew, and does nothing else while
 * another thread keeps it.  One that changes hands lets all of them run, each for a while. */
static bool waits_for_kept_gil(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_interpreter *in = nh_gil_wanted_by(&g->ix, t);

	return in && in->holder != NH_UNKNOWN && in->holder != t->tid &&
	       nh_gil_stands_still(&g->ix, in);
}

static bool rests(struct walk *w, const struct nh_thread *t, const struct nh_process *p)
{
	struct nh_wait wait = nh_graph_wait(w->g, t);

	if (waits_for_kept_gil(w->g, t) || nh_is_bystander(w->g, t))
		return true;
	if (nh_streq(t->state, "Z") || nh_streq(t->state, "X"))
		return true;
	if (!nh_streq(t->state, "S"))
		return false;
	switch (wait.kind) {
	case NH_WAIT_FUTEX:
		return futex_rests(w, t, &wait, p);
	case NH_WAIT_CHILD:
		return children_rest(w, t, &wait);
	case NH_WAIT_SIGNAL:
		/* Whoever takes signals by sigwait is told from outside: by a user, a scheduler. */
		if (!nh_streq(wait.call, "pause") && !nh_streq(wait.call, "rt_sigsuspend"))
			return false;
		add_family(w, p);
		return true;
	case NH_WAIT_READ:
	case NH_WAIT_WRITE:
	case NH_WAIT_POLL:
	case NH_WAIT_SELECT:
	case NH_WAIT_EPOLL:
		return descriptors_rest(w, t, &wait);
	default:
		return false;
	}
}

static void add_awake(struct nh_reach *r, const struct nh_thread *t)
{
	if (r->nawake == NH_REACH_MAX)
		r->unseen = true;
	else
		r->awake[r->nawake++] = t;
}

void nh_reach_from(const struct nh_graph *g, const struct nh_process *p, struct nh_reach *ret)
{
	struct walk w = { g, ret };

	memset(ret, 0, sizeof(*ret));
	add(&w, p);
	for (size_t i = 0; i < ret->n; i++) {
		const struct nh_process *at = ret->processes[i];
		size_t n;
		const struct nh_thread *const *t = nh_index_threads(&g->ix, at->pid, &n);

		/* One that ended will be noticed by whoever waits for it. */
		if (!n || (int64_t)n < at->nthreads || nh_streq(at->state, "Z"))
			ret->unseen = true;
		for (size_t j = 0; j < n; j++)
			if (!rests(&w, t[j], at))
				add_awake(ret, t[j]);
	}
}

bool nh_reach_is_stuck(const struct nh_reach *r)
{
	return !r->nawake && !r->unseen;
}
