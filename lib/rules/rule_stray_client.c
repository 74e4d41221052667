/*
 * nccl-stray-client: something that is not NCCL connected to a proxy service thread's listener.
 * Either the thread is still in the handshake with it and looks at nothing else, or it counts it as
 * a peer and will not leave before it does.
 */
#include "rules/nccl.h"
#include "rules/nccl_version.h"
#include "graph/words.h"

/* By name; or, in a stripped library, a thread that a teardown joins and that does not wait in the
 * service loop's poll: what came in through its listener decides then. */
static bool joins_accepting(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_thread *t = nh_path_end(p).row;

	if (nh_on_stack(g, t, NH_TD_SERVICE))
		return nh_on_stack(g, t, NH_TD_ACCEPT);
	return nh_on_stack(g, t, NH_TD_UNNAMED) && nh_nccl_tears_down(g, p->start) &&
	       !nh_nccl_is_service(g, t);
}

static bool is_foreign(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_process *holder = nh_path_end(p).row;

	return holder->pid != nh_nccl_joined(p)->pid && !nh_nccl_is_rank(g, holder->pid) &&
	       !nh_nccl_is_mapped(g, holder->pid);
}

/* It had the connection before the service thread existed to be inherited from: it opened it. */
static bool is_foreign_and_older(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_process *holder = nh_path_end(p).row;

	return is_foreign(g, p) && holder->start != NH_UNKNOWN &&
	       holder->start < nh_nccl_joined(p)->start;
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_edge *held = nh_path_edge(&m->path, NH_EDGE_HELD_BY);
	const struct nh_process *client = held->to.row;
	const struct nh_socket *far = held->from.row;
	const struct nh_thread *svc = nh_nccl_joined(&m->path);
	int64_t unread;

	f->title = nh_arena_printf(a,
		"NCCL service thread %jd of pid %jd is held up by %s, no NCCL process",
		(intmax_t)svc->tid, (intmax_t)svc->pid, nh_name_process(a, client));
	nh_tell_culprit(a, f, m->g, client, held->fd);
	f->culprit->rank = NH_UNKNOWN;
	nh_nccl_tell_stacks(a, m, f);
	if (m->g->ix.c->samples.n > 1 && !nh_has_not_moved(m->g, nh_nccl_joiner(&m->path)))
		f->confidence = NH_POSSIBLE;
	nh_tell_evidence(a, f, "%s maps no NCCL library and has no service thread%s%s",
		nh_name_process(a, client), client->cmdline ? "; it runs: " : "",
		client->cmdline ? client->cmdline : "");
	unread = nh_index_peer(&m->g->ix, far)->rx_queue;
	if (unread > 0)
		nh_tell_evidence(
			a, f, "it has sent %jd bytes that are still unread", (intmax_t)unread);
	else
		nh_tell_evidence(a, f, "nothing that it sent is unread: it is silent");
	nh_nccl_tell_known(a, m->g, svc->pid, f);
	nh_tell_search(a, m, f);
	nh_tell_save(a, f, svc->pid);
	nh_tell_remedy(a, f,
		"release it now by ending the client (checks PID and start time first). Price: "
		"whatever that process does",
		nh_kill_command(a, client));
	nh_tell_remedy(a, f,
		"or destroy that one connection (needs CAP_NET_ADMIN there and a kernel with "
		"CONFIG_INET_DIAG_DESTROY). Price: none known",
		nh_arena_printf(a, "nsenter -t %jd -n ss -K -t state established src %s dst %s",
			(intmax_t)svc->pid, far->local, far->remote));
	nh_tell_remedy(a, f,
		"prevent it: keep scanners and health checks off ephemeral ports; NCCL 2.30.7 or later "
		"discards such connections. Price: an exception in the scanner, or an upgrade",
		NULL);
}

static const struct nh_step accept_steps[] = {
	{ NH_EDGE_JOINS, true, joins_accepting,
		"no thread waits for a service thread that is in the handshake of a connection" },
	{ NH_EDGE_SERVES, false, NULL, "no open connection came in through its listener" },
	{ NH_EDGE_PEER, false, nh_nccl_open_peer,
		"the other end of that connection is not on this host" },
	{ NH_EDGE_HELD_BY, false, is_foreign, "the other end belongs to an NCCL process" },
};

static const struct nh_step peer_steps[] = {
	{ NH_EDGE_JOINS, true, nh_nccl_joins_service, NULL },
	{ NH_EDGE_POLLS, false, nh_nccl_polls_live_peer, NULL },
	{ NH_EDGE_PEER, false, nh_nccl_open_peer, NULL },
	{ NH_EDGE_HELD_BY, false, is_foreign_and_older, NULL },
};

static const char *const refutes[] = {
	"the client's connection ends and the wait goes on",
	"the client turns out to be a rank of the job",
	NULL,
};

const struct nh_rule nh_rule_stray_client = {
	.id = "nccl-stray-client",
	.pattern = { .steps = accept_steps,
		.nsteps = sizeof(accept_steps) / sizeof(*accept_steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.open_from = 1,
	.covers = "nccl 1808, 1871, 914",
};

const struct nh_rule nh_rule_stray_peer = {
	.id = "nccl-stray-client",
	.pattern = { .steps = peer_steps, .nsteps = sizeof(peer_steps) / sizeof(*peer_steps) },
	.fold = NH_EDGE_JOINS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
};
