/*
 * nccl-teardown-held-socket: teardown joins the proxy service thread; that thread leaves only when
 * its last peer connection ends; and the other end of one is kept open by a bystander's duplicate
 * of the descriptor, so that the opener's close() never reached the wire.
 */
#include <string.h>
#include "rules/nccl.h"
#include "rules/nccl_version.h"
#include "graph/words.h"
#include "know/reaper.h"
#include "know/nccl.h"

/*
 * Neither the process in teardown nor a live rank may be among the holders: those close it
 * themselves, or are the ones to look at.  Nor a process older than the service thread: it cannot
 * have inherited a connection that did not exist, so it is a client of its own.
 */
static bool only_bystanders(const struct nh_graph *g, const struct nh_path *p)
{
	size_t n;
	const struct nh_edge *h = nh_graph_out(g, p->edge[p->n - 1]->from, NH_EDGE_HELD_BY, &n);
	const struct nh_thread *svc = nh_nccl_joined(p);

	for (size_t i = 0; i < n; i++) {
		const struct nh_process *holder = h[i].to.row;

		/* A thread that unshared its table is a bystander of its own process. */
		if (h[i].fd->tid != NH_UNKNOWN)
			continue;
		if (holder->pid == svc->pid || nh_nccl_is_rank(g, holder->pid) ||
			(holder->start != NH_UNKNOWN && holder->start < svc->start))
			return false;
	}
	return true;
}

static bool no_holder(const struct nh_graph *g, const struct nh_path *p)
{
	size_t n;

	if (!nh_nccl_open_peer(g, p))
		return false;
	nh_graph_out(g, nh_path_end(p), NH_EDGE_HELD_BY, &n);
	return !n;
}

/* Who presumably opened the end that a bystander holds: an inference, from parentage. */
enum origin {
	ORIGIN_SELF,   /* the very process in teardown, the holder's ancestor */
	ORIGIN_RANK,   /* another rank, the holder's ancestor */
	ORIGIN_ENDED,  /* the holder is an orphan: whoever opened it is no more */
	ORIGIN_UNTOLD, /* it has a parent that is no rank: inherited from somebody who ended, or its
			  own */
};

struct opener {
	enum origin origin;
	const struct nh_process *p; /* SELF, RANK */
};

static struct opener presumed_opener(
	const struct nh_graph *g, const struct nh_process *holder, int64_t victim)
{
	const struct nh_process *p = holder, *parent = nh_index_process(&g->ix, holder->ppid);

	if (holder->pid == victim) /* a thread with a table of its own */
		return (struct opener){ ORIGIN_SELF, holder };
	for (int depth = 0; p && depth < 64; depth++) {
		p = nh_index_process(&g->ix, p->ppid);
		if (p && p->pid == victim)
			return (struct opener){ ORIGIN_SELF, p };
		/* A rank whose communicators are gone has no service thread any more. */
		if (p && (nh_nccl_is_rank(g, p->pid) || nh_nccl_is_mapped(g, p->pid) ||
				 nh_rank_of(p) != NH_UNKNOWN))
			return (struct opener){ ORIGIN_RANK, p };
	}
	if (!parent || nh_is_reaper(parent) || nh_nccl_is_mapped(g, holder->pid))
		return (struct opener){ ORIGIN_ENDED, NULL };
	return (struct opener){ ORIGIN_UNTOLD, NULL };
}

/* By the stack where it names the entry point, else by what the sockets imply. */
static void tell_path_gate(struct nh_arena *a, const struct nh_match *m,
	const struct nh_socket *near, struct nh_finding *f)
{
	static const char gate[] = "teardown took the abort path";
	struct nh_silhouette s = nh_silhouette_of(a, m->g, nh_nccl_joiner(&m->path));

	if (s.entry == NH_TD_ABORT)
		nh_tell_gate(a, f, gate, "held",
			nh_arena_printf(a, "the stack of thread %jd is inside ncclCommAbort",
				(intmax_t)s.caller->tid));
	else if (s.entry != NH_TD_NONE)
		nh_tell_gate(a, f, gate, "not held",
			nh_arena_printf(a,
				"the stack of thread %jd shows a %s, yet a live peer is left: its "
				"Close message was not sent or not read",
				(intmax_t)s.caller->tid, nh_teardown_word(s.entry)));
	else if (near->rx_queue == 0)
		nh_tell_gate(a, f, gate, "inferred",
			"its service thread still counts a live peer and nothing is queued unread: a "
			"graceful destroy sends a Close message, which retires the peer");
	else
		nh_tell_gate(a, f, gate, "not known",
			nh_arena_printf(a, "%jd bytes are queued unread for the service thread",
				(intmax_t)near->rx_queue));
}

static void tell_fork_gates(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *holder, struct nh_finding *f)
{
	static const char before[] = "the socket was opened before the fork";
	static const char after[] = "the fork came before the close";
	const struct nh_case *c = m->g->ix.c;
	const struct nh_thread *svc = nh_nccl_joined(&m->path);
	struct opener o = presumed_opener(m->g, holder, svc->pid);
	const char *who = o.p ? nh_name_process(a, o.p) : "whoever opened it";

	if (o.origin == ORIGIN_UNTOLD) {
		nh_tell_gate(a, f, before, "not known",
			"the holder descends from no rank that is alive: it may have opened the "
			"connection itself");
		nh_tell_gate(a, f, after, "not known", "for the same reason");
		return;
	}
	nh_tell_gate(a, f, before, "inferred",
		nh_arena_printf(a,
			"pid %jd started %s after the service thread, whose connections are opened when "
			"it starts",
			(intmax_t)holder->pid, nh_ticks_words(a, c, holder->start - svc->start)));
	nh_tell_gate(a, f, after, "inferred",
		nh_arena_printf(a,
			"%s holds no descriptor of it any more, pid %jd does: only what is open can be "
			"inherited",
			who, (intmax_t)holder->pid));
}

static void tell_gates(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *holder, struct nh_finding *f)
{
	const struct nh_edge *held = nh_path_edge(&m->path, NH_EDGE_HELD_BY);

	tell_path_gate(a, m, nh_path_edge(&m->path, NH_EDGE_POLLS)->to.row, f);
	tell_fork_gates(a, m, holder, f);
	nh_tell_gate(a, f, "the copy is still held", "held",
		nh_arena_printf(a, "fd %jd of pid %jd, seen in %s", (intmax_t)held->fd->fd,
			(intmax_t)holder->pid, m->repeated ? "both samples" : "this sample"));
}

static void tell_origin(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *holder, struct nh_finding *f)
{
	const struct nh_process *parent = nh_index_process(&m->g->ix, holder->ppid);
	struct opener o = presumed_opener(m->g, holder, nh_nccl_joined(&m->path)->pid);

	nh_tell_evidence(a, f, "%s is a child of %s%s", nh_name_process(a, holder),
		parent ? nh_name_process(a, parent)
		       : nh_arena_printf(a, "pid %jd", (intmax_t)holder->ppid),
		holder->cmdline ? nh_arena_printf(a, "; it runs: %s", holder->cmdline) : "");
	switch (o.origin) {
	case ORIGIN_SELF:
		nh_tell_evidence(a, f,
			"inference: %s opened both ends (a communicator connects to its own service "
			"thread) and the holder, its descendant, inherited one",
			nh_name_process(a, o.p));
		return;
	case ORIGIN_RANK:
		nh_tell_evidence(a, f,
			"inference: the end was opened by %s, another rank and the holder's ancestor, "
			"which holds no descriptor of it any more",
			nh_name_process(a, o.p));
		return;
	case ORIGIN_ENDED:
		nh_tell_evidence(a, f,
			"inference: whoever opened the end has ended; no ancestor of the holder is a "
			"rank that is still alive");
		return;
	case ORIGIN_UNTOLD:
		f->confidence = f->confidence > NH_LIKELY ? NH_LIKELY : f->confidence;
		nh_tell_unknown(a, f,
			"whether the holder inherited the connection from a process that has ended, or "
			"opened it itself (a scanner, a health check): ending it releases the wait "
			"either way, the prevention differs");
	}
}

static void tell_remedies(struct nh_arena *a, const struct nh_match *m,
	const struct nh_process *holder, struct nh_finding *f)
{
	const struct nh_thread *svc = nh_nccl_joined(&m->path);
	const struct nh_socket *far = nh_path_edge(&m->path, NH_EDGE_PEER)->to.row;
	const char *kill = nh_kill_command(a, holder);

	nh_for(p, &m->also) {
		const struct nh_process *other = nh_path_end(p).row;

		if (other != holder)
			kill = nh_arena_printf(a, "%s; %s", kill, nh_kill_command(a, other));
	}
	nh_tell_save(a, f, svc->pid);
	nh_tell_remedy(a, f,
		"release it now by ending the holder (checks PID and start time first). Price: "
		"whatever that process still does is lost",
		kill);
	nh_tell_remedy(a, f,
		"or destroy that one connection and leave the holder alone (needs CAP_NET_ADMIN "
		"there "
		"and a kernel with CONFIG_INET_DIAG_DESTROY). Price: none known; the service "
		"thread "
		"sees a reset and retires the peer",
		nh_arena_printf(a, "nsenter -t %jd -n ss -K -t state established src %s dst %s",
			(intmax_t)svc->pid, far->local, far->remote));
	nh_tell_remedy(a, f,
		"prevent it: NCCL " NH_NCCL_SHUTDOWN_SINCE
		" or later calls shutdown() before close(), "
		"which no duplicate can veto. Price: an upgrade",
		NULL);
	nh_tell_remedy(a, f,
		"or fork helpers before communicators exist, or start them with spawn or "
		"forkserver. "
		"Price: a slower start and picklable arguments",
		NULL);
	nh_tell_remedy(
		a, f, "or use no worker processes (num_workers=0). Price: loading speed", NULL);
	nh_tell_remedy(a, f,
		"raising a timeout does not help: nothing on the wire will ever end this wait "
		"while "
		"the copy is open",
		NULL);
}

static void tell_others(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	nh_for(p, &m->also) {
		const struct nh_edge *held = nh_path_edge(p, NH_EDGE_HELD_BY);
		const struct nh_edge *poll = nh_path_edge(p, NH_EDGE_POLLS);

		nh_tell_evidence(a, f, "also: slot %jd, %s: %s", (intmax_t)poll->wait->slot,
			nh_name_socket(a, held->from.row), nh_edge_fact(a, m->g, held));
	}
}

static void tell_held(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = nh_path_edge(&m->path, NH_EDGE_HELD_BY);
	const struct nh_process *holder = held->to.row;
	const struct nh_thread *svc = nh_nccl_joined(&m->path);

	f->title = nh_arena_printf(a,
		"NCCL teardown of pid %jd waits for a connection that %s keeps open",
		(intmax_t)svc->pid, nh_name_process(a, holder));
	nh_tell_culprit(a, f, m->g, holder, held->fd);
	/* It inherited RANK with everything else, but is no rank. */
	f->culprit->rank = NH_UNKNOWN;
	tell_gates(a, m, holder, f);
	nh_nccl_tell_stacks(a, m, f);
	tell_origin(a, m, holder, f);
	nh_nccl_tell_held(a, m->g, svc->pid, f);
	nh_tell_evidence(a, f, "no descriptor of pid %jd is socket inode %jd", (intmax_t)svc->pid,
		(intmax_t)((const struct nh_socket *)held->from.row)->inode);
	nh_tell_search(a, m, f);
	tell_others(a, m, f);
	tell_remedies(a, m, holder, f);
}

/* Where an end without a descriptor can live on: each place that was looked at, by name. */
static void tell_hidden(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *svc = nh_nccl_joined(&m->path);
	const struct nh_socket *far = nh_path_end(&m->path).row;
	const struct nh_case *c = m->g->ix.c;
	int64_t sample = m->g->ix.sample;
	bool carrier = false;

	f->title = nh_arena_printf(a,
		"NCCL teardown of pid %jd waits for a connection whose holder is not visible",
		(intmax_t)svc->pid);
	nh_tell_evidence(a, f,
		"socket inode %jd is open, so something holds it, but no descriptor of it was seen",
		(intmax_t)far->inode);
	nh_nccl_tell_stacks(a, m, f);
	nh_for(fd, &c->fds) {
		if (fd->sample != sample)
			continue;
		if (fd->kind == NH_FD_CLOSED) {
			nh_tell_unknown(a, f,
				"possible: a thread of pid %jd blocks on fd %jd, which its table "
				"has no "
				"more: a call in progress keeps what was closed under it open",
				(intmax_t)fd->pid, (intmax_t)fd->fd);
			carrier = true;
		} else if (fd->scm_fds > 0) {
			nh_tell_unknown(a, f,
				"possible: %jd descriptor%s in flight in the queue of unix socket "
				"inode "
				"%jd (fd %jd of pid %jd)",
				(intmax_t)fd->scm_fds, fd->scm_fds == 1 ? " is" : "s are",
				(intmax_t)fd->inode, (intmax_t)fd->fd, (intmax_t)fd->pid);
			carrier = true;
		} else if (fd->path && !strcmp(fd->path, "anon_inode:[io_uring]")) {
			nh_tell_unknown(a, f,
				"possible: the io_uring fd %jd of pid %jd holds it registered",
				(intmax_t)fd->fd, (intmax_t)fd->pid);
			carrier = true;
		}
	}
	nh_for(s, &c->samples) {
		if (s->sample == sample && s->unreadable > 0)
			nh_tell_unknown(a, f,
				"possible: one of %jd processes whose descriptors could not be "
				"read",
				(intmax_t)s->unreadable);
	}
	if (!carrier)
		nh_tell_unknown(a, f,
			"checked and not found: a call blocked on a closed descriptor, a "
			"descriptor in "
			"flight over a unix socket, an io_uring; a process outside this pid "
			"namespace "
			"or this host's view remains possible");
	nh_tell_save(a, f, svc->pid);
	nh_tell_remedy(a, f, "look with all rights, on the host itself, outside any container",
		nh_arena_printf(a, "sudo ncclhang %jd", (intmax_t)svc->pid));
}

static const struct nh_step held_steps[] = {
	NH_STEPS_TO_PEER,
	{ NH_EDGE_HELD_BY, false, only_bystanders,
		"the other end is still held by the rank itself or by another live rank" },
};

static const struct nh_step hidden_steps[] = {
	{ NH_EDGE_JOINS, true, nh_nccl_joins_service, NULL },
	{ NH_EDGE_POLLS, false, nh_nccl_polls_live_peer, NULL },
	{ NH_EDGE_PEER, false, no_holder, NULL },
};

static const char *const refutes[] = {
	"the wait ends although the holder keeps its descriptor",
	"the holder ends and the wait goes on",
	"the process in teardown still has a descriptor of that end (then it has not closed it "
	"yet)",
	NULL,
};

const struct nh_rule nh_rule_held_socket = {
	.id = "nccl-teardown-held-socket",
	.pattern = { .steps = held_steps, .nsteps = sizeof(held_steps) / sizeof(*held_steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_held,
	.refutes = refutes,
	.open_from = 2,
	.covers = "nccl 863",
};

const struct nh_rule nh_rule_held_socket_hidden = {
	.id = "nccl-teardown-held-socket",
	.pattern = { .steps = hidden_steps,
		.nsteps = sizeof(hidden_steps) / sizeof(*hidden_steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_POSSIBLE,
	.tell = tell_hidden,
	.refutes = refutes,
};
