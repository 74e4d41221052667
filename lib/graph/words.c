#include "graph/words.h"

#include "graph/interpreter.h"
#include "graph/locks.h"
#include "know/lock.h"

const char *nh_name_process(struct nh_arena *a, const struct nh_process *p)
{
	const char *comm = p->comm ? p->comm : "?";

	if (p->nspid.n > 1 && p->nspid.v[p->nspid.n - 1] != p->pid)
		return nh_arena_printf(a, "pid %jd (%s; pid %jd in its container)",
			(intmax_t)p->pid, comm, (intmax_t)p->nspid.v[p->nspid.n - 1]);
	return nh_arena_printf(a, "pid %jd (%s)", (intmax_t)p->pid, comm);
}

const char *nh_name_thread(struct nh_arena *a, const struct nh_thread *t)
{
	if (t->nstid != t->tid && t->nstid != NH_UNKNOWN)
		return nh_arena_printf(a, "thread %jd (%s; TID %jd in its container) of pid %jd",
			(intmax_t)t->tid, t->comm ? t->comm : "?", (intmax_t)t->nstid,
			(intmax_t)t->pid);
	return nh_arena_printf(a, "thread %jd (%s) of pid %jd", (intmax_t)t->tid,
		t->comm ? t->comm : "?", (intmax_t)t->pid);
}

const char *nh_name_socket(struct nh_arena *a, const struct nh_socket *s)
{
	if (s->family == NH_UNIX)
		return nh_arena_printf(a, "unix socket %s, inode %jd",
			s->local ? s->local : "(unnamed)", (intmax_t)s->inode);
	if (s->state == NH_TCP_LISTEN)
		return nh_arena_printf(
			a, "TCP listener %s, inode %jd", s->local, (intmax_t)s->inode);
	return nh_arena_printf(
		a, "TCP socket %s -> %s, inode %jd", s->local, s->remote, (intmax_t)s->inode);
}

const char *nh_name_node(struct nh_arena *a, struct nh_node n)
{
	switch (n.kind) {
	case NH_NODE_THREAD:
		return nh_name_thread(a, n.row);
	case NH_NODE_PROCESS:
		return nh_name_process(a, n.row);
	case NH_NODE_SOCKET:
		return nh_name_socket(a, n.row);
	case NH_NODE_OBJECT:
		return nh_name_object(a, n.row);
	case NH_NODE_REMOTE:
		return nh_arena_printf(a, "%s, not on this host", (const char *)n.row);
	}
	return "?";
}

const char *nh_edge_name(enum nh_edge_kind kind)
{
	static const char *const names[NH_EDGE_KINDS] = {
		[NH_EDGE_JOINS] = "joins",
		[NH_EDGE_LOCKS] = "wants the lock of",
		[NH_EDGE_GIL] = "wants the GIL of",
		[NH_EDGE_FILES] = "wants the file lock of",
		[NH_EDGE_CHILD] = "waits for its child",
		[NH_EDGE_RUNS] = "runs",
		[NH_EDGE_POLLS] = "polls",
		[NH_EDGE_READS] = "reads",
		[NH_EDGE_WRITES] = "writes",
		[NH_EDGE_OPENS] = "opens",
		[NH_EDGE_SERVES] = "serves",
		[NH_EDGE_PEER] = "is connected to",
		[NH_EDGE_REMOTE] = "is connected to",
		[NH_EDGE_HELD_BY] = "is held open by",
		[NH_EDGE_RANK] = "waits for rank",
	};

	return names[kind];
}

static const char *state_name(const struct nh_socket *s)
{
	return s->state > 0 && s->state <= NH_TCP_NEW_SYN_RECV ? nh_tcp_state_names[s->state]
							       : "state unknown";
}

static const char *join_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_thread *to = e->to.row;
	struct nh_wait w = nh_graph_wait(g, e->from.row);

	return nh_arena_printf(a,
		"futex(0x%jx, op 0x%jx) waits while the word is %jd; the word reads %jd, the TID "
		"of "
		"that thread%s",
		(uintmax_t)w.addr, (uintmax_t)w.futex_op, (intmax_t)w.futex_val,
		(intmax_t)w.futex_val, to->nstid != to->tid ? " in its container" : "");
}

static const char *lock_fact(struct nh_arena *a, const struct nh_edge *e)
{
	const struct nh_thread *from = e->from.row, *to = e->to.row;
	struct nh_lock lock;

	if (!nh_lock_decode(from, &lock))
		return "";
	return nh_arena_printf(a, "%s at 0x%jx: its owner word is %jd, the TID of that thread%s%s",
		lock.what, (uintmax_t)lock.addr, (intmax_t)lock.owner,
		to->nstid != to->tid ? " in its container" : "",
		to->pid != from->pid ? ", whose process maps the same memory" : "");
}

static const char *gil_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_interpreter *in = nh_gil_wanted_by(&g->ix, e->from.row);
	const struct nh_thread *to = e->to.row;

	if (!in)
		return "";
	return nh_arena_printf(a,
		"it waits on a futex of the GIL; by the runtime of Python %s, thread %jd holds that, "
		"which has changed hands %jd times",
		in->version ? in->version : "?", (intmax_t)to->tid, (intmax_t)in->switches);
}

static const char *file_lock_fact(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_file_lock *l = e->lock;

	return nh_arena_printf(a, "%s, inode %jd: %s%s has it%s", nh_name_lock(a, l),
		(intmax_t)l->inode, l->number != NH_UNKNOWN ? "by /proc/locks, " : "",
		nh_lock_holder_words(a, &g->ix, l),
		l->fd == NH_UNKNOWN ? ""
				    : nh_arena_printf(a, "; its fdinfo shows the lock on fd %jd",
					      (intmax_t)l->fd));
}

static const char *child_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_process *child = e->to.row;
	struct nh_wait w = nh_graph_wait(g, e->from.row);

	return nh_arena_printf(a, "%s for PID %jd, which is in state %s", w.call, (intmax_t)w.child,
		child->state ? child->state : "unknown");
}

static const char *poll_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_socket *s = e->to.row;
	struct nh_wait w = nh_graph_wait(g, e->from.row);

	if (e->to.kind == NH_NODE_OBJECT)
		return nh_object_fact(a, g, e);
	return nh_arena_printf(a,
		"%s: slot %jd is fd %jd = socket inode %jd, %s, %jd bytes unread%s",
		nh_wait_words(a, &w), (intmax_t)e->wait->slot, (intmax_t)e->wait->fd,
		(intmax_t)s->inode, state_name(s), (intmax_t)s->rx_queue,
		s->family == NH_UNIX && s->state == NH_TCP_ESTABLISHED && !nh_index_peer(&g->ix, s)
			? ", its other end was not seen"
			: "");
}

const char *nh_edge_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	const struct nh_socket *s = e->from.row;

	switch (e->kind) {
	case NH_EDGE_JOINS:
		return join_fact(a, g, e);
	case NH_EDGE_LOCKS:
		return lock_fact(a, e);
	case NH_EDGE_GIL:
		return gil_fact(a, g, e);
	case NH_EDGE_FILES:
		return file_lock_fact(a, g, e);
	case NH_EDGE_CHILD:
		return child_fact(a, g, e);
	case NH_EDGE_RUNS:
		return "a thread of it";
	case NH_EDGE_POLLS:
	case NH_EDGE_READS:
	case NH_EDGE_WRITES:
		return poll_fact(a, g, e);
	case NH_EDGE_SERVES:
		s = e->to.row;
		return nh_arena_printf(a,
			"it is busy with a connection%s; fd %jd = socket inode %jd came in through "
			"its listener, %s, %jd bytes unread",
			nh_on_stack(g, e->from.row, NH_TD_ACCEPT) ? " (in ncclSocketAccept)" : "",
			(intmax_t)e->fd->fd, (intmax_t)s->inode, state_name(s),
			(intmax_t)s->rx_queue);
	case NH_EDGE_PEER:
		s = e->to.row;
		if (s->family == NH_UNIX)
			return nh_arena_printf(a,
				"the kernel tells inode %jd as its other end, %s, %jd bytes unread",
				(intmax_t)s->inode, state_name(s), (intmax_t)s->rx_queue);
		return nh_arena_printf(a,
			"the kernel's table has the mirrored row %s -> %s, %s, inode %jd", s->local,
			s->remote, state_name(s), (intmax_t)s->inode);
	case NH_EDGE_OPENS:
		return nh_object_fact(a, g, e);
	case NH_EDGE_REMOTE:
		return nh_arena_printf(a,
			"its other end is in no table of this host, and no socket seen here has that "
			"address");
	case NH_EDGE_HELD_BY:
		if (e->from.kind == NH_NODE_OBJECT)
			return nh_object_fact(a, g, e);
		return nh_arena_printf(a, "fd %jd of pid %jd%s is socket inode %jd",
			(intmax_t)e->fd->fd, (intmax_t)e->fd->pid,
			e->fd->tid == NH_UNKNOWN
				? ""
				: nh_arena_printf(a, " (in the unshared table of thread %jd)",
					  (intmax_t)e->fd->tid),
			(intmax_t)s->inode);
	case NH_EDGE_RANK:
	case NH_EDGE_KINDS:
		break;
	}
	return "";
}

static const char *timeout_words(struct nh_arena *a, const struct nh_wait *w)
{
	if (w->timeout_ms == NH_UNKNOWN)
		return "";
	if (w->timeout_ms < 0)
		return ", no timeout";
	return nh_arena_printf(a, ", %jd ms timeout", (intmax_t)w->timeout_ms);
}

const char *nh_wait_words(struct nh_arena *a, const struct nh_wait *w)
{
	if (!w->call)
		return "an unknown call";
	if (w->kind == NH_WAIT_POLL || w->kind == NH_WAIT_SELECT)
		return nh_arena_printf(a, "%s of %jd slot%s%s", w->call, (intmax_t)w->nfds,
			w->nfds == 1 ? "" : "s", timeout_words(a, w));
	if (w->kind == NH_WAIT_EPOLL)
		return nh_arena_printf(a, "%s%s", w->call, timeout_words(a, w));
	return w->call;
}

const char *nh_ticks_words(struct nh_arena *a, const struct nh_case *c, int64_t ticks)
{
	double s = (double)ticks / (double)(c->ticks_per_s > 0 ? c->ticks_per_s : 100);

	return s >= 120 ? nh_arena_printf(a, "%.0f min", s / 60) : nh_arena_printf(a, "%.2f s", s);
}
