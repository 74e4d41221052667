#include "rules/data_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include "base/str.h"
#include "know/reaper.h"

enum { FUTEX_PRIVATE = 128 };

bool nh_is_write_end(const struct nh_edge *held)
{
	return held->from.kind == NH_NODE_SOCKET || !nh_streq(held->fd->mode, "r");
}

bool nh_leads_to_write_end(const struct nh_path *p)
{
	const struct nh_edge *held = p->edge[p->n - 1];

	if (held->from.kind == NH_NODE_SOCKET && p->edge[p->n - 2]->kind != NH_EDGE_PEER)
		return false;
	return nh_is_write_end(held);
}

/* A reader that was adopted itself is one of them. In a container the first process starts programs
 * and adopts orphans alike; there a dead child of the reader tells the launcher. */
static bool is_adopted_too(
	const struct nh_graph *g, const struct nh_process *holder, const struct nh_process *reader)
{
	const struct nh_process *own = nh_index_process(&g->ix, reader->ppid);
	const struct nh_process *dead = nh_dead_child(g, reader->pid);

	return (!own || nh_is_reaper(own)) && !(dead && dead->start <= holder->start);
}

/* A process that a reaper adopted, or a descendant of one, started after `reader`, not by it. */
static bool is_orphan_of(
	const struct nh_graph *g, const struct nh_process *holder, const struct nh_process *reader)
{
	if (is_adopted_too(g, holder, reader))
		return false;
	for (int depth = 0; holder && depth < 64; depth++) {
		const struct nh_process *parent = nh_index_process(&g->ix, holder->ppid);

		/* Started later, it can have inherited the end. */
		if (holder == reader || parent == reader || holder->start == NH_UNKNOWN ||
			holder->start < reader->start)
			return false;
		if (parent && nh_is_reaper(parent))
			return true;
		holder = parent;
	}
	return false;
}

/* A pipe or an unnamed pair of sockets, that is read: whoever may write holds an end now.  A named
 * one can get a new writer at any time. */
static struct nh_node written_through(const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_node none = { NH_NODE_OBJECT, NULL };
	const struct nh_fd *fd = e->fd;
	size_t n;

	if (e->wait->events & POLLOUT)
		return none;
	if (e->to.kind == NH_NODE_OBJECT)
		return fd->kind == NH_FD_PIPE && !fd->path ? e->to : none;
	if (e->to.kind != NH_NODE_SOCKET ||
		((const struct nh_socket *)e->to.row)->family != NH_UNIX ||
		((const struct nh_socket *)e->to.row)->local)
		return none;

	const struct nh_edge *peer = nh_graph_out(g, e->to, NH_EDGE_PEER, &n);

	return n && !((const struct nh_socket *)peer->to.row)->local ? peer->to : none;
}

/* A write end that does not block is a self-pipe's: made to be written by a signal's handler, or by
 * a thread that must not wait. */
static bool is_for_wakeups(const struct nh_fd *fd)
{
	return fd->flags == NH_UNKNOWN || fd->flags & O_NONBLOCK;
}

static enum nh_writers writers_of(
	const struct nh_graph *g, const struct nh_process *reader, const struct nh_edge *e)
{
	struct nh_node node = written_through(g, e);
	enum nh_writers all = NH_WRITERS_OTHERS;
	size_t n = 0;
	const struct nh_edge *held = node.row ? nh_graph_out(g, node, NH_EDGE_HELD_BY, &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		const struct nh_process *p = held[i].to.row;

		if (!nh_is_write_end(&held[i]))
			continue;
		if (p == reader && held[i].fd->tid == NH_UNKNOWN && !is_for_wakeups(held[i].fd))
			all = all == NH_WRITERS_ORPHANS ? all : NH_WRITERS_SELF;
		else if (p != reader && is_orphan_of(g, p, reader))
			all = NH_WRITERS_ORPHANS;
		else
			return NH_WRITERS_OTHERS;
	}
	return all;
}

static bool waits_without_bound(const struct nh_thread *t, const struct nh_wait *w)
{
	if (t->running || !t->waits.n || !nh_streq(t->state, "S"))
		return false;
	return w->kind == NH_WAIT_READ || ((w->kind == NH_WAIT_POLL || w->kind == NH_WAIT_SELECT ||
						   w->kind == NH_WAIT_EPOLL) &&
						  w->timeout_ms == -1);
}

enum nh_writers nh_data_writers(const struct nh_graph *g, const struct nh_thread *t)
{
	static const enum nh_edge_kind kinds[] = { NH_EDGE_POLLS, NH_EDGE_READS };
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	struct nh_wait w = nh_graph_wait(g, t);
	enum nh_writers all = NH_WRITERS_SELF;
	size_t seen = 0;

	if (!p || !waits_without_bound(t, &w))
		return NH_WRITERS_OTHERS;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t n;
		const struct nh_edge *e =
			nh_graph_out(g, (struct nh_node){ NH_NODE_THREAD, t }, kinds[k], &n);

		for (size_t i = 0; i < n; i++, seen++) {
			enum nh_writers one = writers_of(g, p, &e[i]);

			if (one == NH_WRITERS_OTHERS)
				return one;
			all = one > all ? one : all;
		}
	}
	/* A slot without an edge is one that nothing is known of. */
	return seen == t->waits.n ? all : NH_WRITERS_OTHERS;
}

/* A wait that only another thread of its process can end, or one like that of the reader. */
static bool waits_for_its_own(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);
	size_t joins;

	if (nh_streq(t->state, "Z"))
		return true;
	nh_graph_out(g, (struct nh_node){ NH_NODE_THREAD, t }, NH_EDGE_JOINS, &joins);
	if (w.kind == NH_WAIT_FUTEX)
		return w.timeout_ms == -1 &&
		       (joins || (w.futex_op != NH_UNKNOWN && w.futex_op & FUTEX_PRIVATE));
	return nh_data_writers(g, t) == NH_WRITERS_SELF;
}

static bool has_handler(const struct nh_graph *g, const struct nh_process *p, bool strict)
{
	/* A fault's, which do not come by themselves, and glibc's own. */
	static const int never[] = { SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, 32,
		33 };
	static const int usual[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD };
	uint64_t mask = p->caught;

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		mask &= ~(1ULL << (never[i] - 1));
	for (size_t i = 0; !strict && i < sizeof(usual) / sizeof(*usual); i++)
		mask &= ~(1ULL << (usual[i] - 1));
	/* Every Python has one for SIGINT, which raises. */
	nh_for(in, &g->ix.c->interpreters)
		if (in->pid == p->pid)
			mask &= ~(1ULL << (SIGINT - 1));
	return mask;
}

bool nh_may_write_itself(const struct nh_graph *g, const struct nh_thread *t, bool strict)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	size_t n;
	const struct nh_thread *const *all = nh_index_threads(&g->ix, t->pid, &n);

	if (!p || (p->nthreads != NH_UNKNOWN && (size_t)p->nthreads > n) || p->uid == NH_UNKNOWN ||
		has_handler(g, p, strict))
		return true;
	for (size_t i = 0; i < n; i++)
		if (all[i] != t && !waits_for_its_own(g, all[i]))
			return true;
	return false;
}

static bool is_alive(const struct nh_index *ix, const struct nh_process *p)
{
	const struct nh_process *now = nh_index_process(ix, p->pid);

	return now && now->start == p->start && !nh_streq(now->state, "Z");
}

const struct nh_process *nh_dead_child(const struct nh_graph *g, int64_t pid)
{
	const struct nh_process *best = NULL;

	nh_for(p, &g->ix.c->processes) {
		if (p->ppid != pid || p->sample > g->ix.sample || p->kthread || is_alive(&g->ix, p))
			continue;
		/* The later sample tells more of one; a bad end more than a good one. */
		if (!best || (best->pid == p->pid && best->sample < p->sample) ||
			(best->exit_code == 0 && p->exit_code > 0))
			best = p;
	}
	return best;
}

bool nh_searched_all(const struct nh_graph *g)
{
	nh_for(s, &g->ix.c->samples)
		if (s->walked != NH_UNKNOWN && !s->suspects_only)
			return s->complete && s->unreadable <= 0;
	return false;
}

void nh_tell_waiters(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	nh_for(e, &g->edges)
		if (((e->kind == NH_EDGE_CHILD || e->kind == NH_EDGE_FILES) && e->to.row == p) ||
			(e->kind == NH_EDGE_JOINS && e->to.row == t)) {
			nh_tell_link(a, f, g, e);
			nh_tell_victim(a, f, g, e->from.row);
		}
}
