/*
 * store-wait: ranks wait for a key of the rendezvous store or for a connection to it, which is how
 * a process group is made.  Whoever is not at the store has not come.
 */
#include "ranks/live_rules.h"

#include <string.h>
#include "know/env.h"

/* A start takes a while everywhere: younger than this it is only a suspicion. */
enum { PATIENCE_S = 5 };

static int64_t age_s(const struct nh_live_rank *r)
{
	const struct nh_case *c = r->g->ix.c;

	if (c->uptime_ms == NH_UNKNOWN || c->ticks_per_s <= 0 || r->p->start == NH_UNKNOWN)
		return PATIENCE_S;
	return c->uptime_ms / 1000 - r->p->start / c->ticks_per_s;
}

static bool all_at_store(const struct nh_live_job *job)
{
	nh_for(r, &job->ranks)
		if (r->doing == NH_DOES_WAIT && r->call.kind != NH_COLL_STORE)
			return false;
	return true;
}

static const struct nh_live_rank *first_waiting(const struct nh_live_job *job)
{
	return nh_live_rank(job, job->by[NH_DOES_WAIT].v[0]);
}

static bool has_port(const char *address, const char *port)
{
	const char *colon = address ? strrchr(address, ':') : NULL;

	return colon && port && !strcmp(colon + 1, port);
}

/* The rank's own connection to the store, made or not. */
static const struct nh_socket *connection(const struct nh_live_rank *r, const char *port)
{
	nh_for(fd, &r->g->ix.fds) {
		const struct nh_socket *s = r->p && (*fd)->pid == r->p->pid && (*fd)->inode > 0
						    ? nh_index_socket(&r->g->ix, (*fd)->inode)
						    : NULL;

		if (s && s->state != NH_TCP_LISTEN && has_port(s->remote, port))
			return s;
	}
	return NULL;
}

static const struct nh_socket *listener(const struct nh_graph *g, const char *port)
{
	nh_for(s, &g->ix.sockets)
		if ((*s)->family != NH_UNIX && (*s)->state == NH_TCP_LISTEN &&
			has_port((*s)->local, port))
			return *s;
	return NULL;
}

static const struct nh_socket *find_server(
	const struct nh_live_job *job, const char *port, const struct nh_graph **g)
{
	nh_for(r, &job->ranks) {
		const struct nh_socket *s = listener(r->g, port);

		*g = r->g;
		if (s)
			return s;
	}
	return NULL;
}

static void tell_server(struct nh_live_job *job, struct nh_finding *f)
{
	struct nh_arena *a = job->a;
	const struct nh_live_rank *r = first_waiting(job);
	const char *address = nh_env_get(r->p, "MASTER_ADDR");
	const char *port = nh_env_get(r->p, "MASTER_PORT");
	const struct nh_socket *mine = connection(r, port);
	const struct nh_graph *g;
	const struct nh_socket *s = find_server(job, port, &g);
	size_t n;

	if (!address || !port) {
		nh_tell_unknown(
			a, f, "where the store is: MASTER_ADDR and MASTER_PORT are not set");
		return;
	}
	if (s) {
		const struct nh_fd *const *h = nh_index_holders(&g->ix, s->inode, &n);
		const struct nh_process *p = n ? nh_index_process(&g->ix, h[0]->pid) : NULL;

		nh_tell_evidence(a, f, "the store is %s:%s; %s listens there, inode %jd", address,
			port, p ? nh_name_process(a, p) : "a process that was not inspected",
			(intmax_t)s->inode);
	} else {
		nh_tell_evidence(a, f,
			"the store is %s:%s; no listener on that port is among the sockets seen",
			address, port);
	}
	if (mine)
		nh_tell_evidence(a, f, "rank %jd's connection to it, %s, is %s", (intmax_t)r->rank,
			nh_name_socket(a, mine),
			mine->state == NH_TCP_SYN_SENT
				? "not answered (SYN_SENT): nobody listens, or a firewall drops it"
				: nh_tcp_state_names[mine->state]);
}

/* Who is not at the store: outside of it, or of another host. */
static void absent(const struct nh_live_job *job, struct nh_ranks *ret)
{
	for (size_t i = 0; i < job->by[NH_DOES_OUTSIDE].n; i++)
		nh_ranks_add(job->a, ret, job->by[NH_DOES_OUTSIDE].v[i]);
	for (size_t i = 0; i < job->elsewhere.n; i++)
		nh_ranks_add(job->a, ret, job->elsewhere.v[i]);
}

static int confidence_of(const struct nh_live_job *job, const struct nh_live_rank *culprit)
{
	nh_for(r, &job->ranks)
		if (r->doing == NH_DOES_WAIT && age_s(r) < PATIENCE_S)
			return NH_POSSIBLE;
	/* One that is busy is likely to be on its way. */
	return culprit && culprit->move != NH_MOVE_STILL ? NH_POSSIBLE : NH_LIKELY;
}

void nh_live_rule_store(struct nh_live_job *job)
{
	struct nh_arena *a = job->a;
	const struct nh_ranks *in = &job->by[NH_DOES_WAIT], *out = &job->by[NH_DOES_OUTSIDE];
	const struct nh_live_rank *culprit = out->n ? nh_live_rank(job, out->v[0]) : NULL;
	struct nh_ranks missing = { 0 };
	struct nh_finding *f;

	if (!all_at_store(job))
		return;
	absent(job, &missing);
	f = nh_live_begin(job, "store-wait", confidence_of(job, culprit), culprit);
	f->title = missing.n ? nh_arena_printf(a, "%s %s at the rendezvous store, in %s, for %s",
				       nh_ranks_words(a, in), nh_live_verb(in, "waits", "wait"),
				       nh_live_op_words(job), nh_ranks_words(a, &missing))
			     : nh_arena_printf(a,
				       "%s %s at the rendezvous store, in %s, though all came",
				       nh_ranks_words(a, in), nh_live_verb(in, "waits", "wait"),
				       nh_live_op_words(job));
	nh_live_tell_link(job, f, in, &missing,
		nh_arena_printf(a, "in %s; %s not at the store", nh_live_op_words(job),
			nh_live_verb(&missing, "that one is", "those are")));
	tell_server(job, f);
	nh_live_tell_places(job, f, out);
	nh_live_tell_places(job, f, in);
	if (culprit)
		nh_live_tell_cause(job, f, culprit);
	if (f->confidence == NH_POSSIBLE)
		nh_tell_unknown(
			a, f, "whether ranks are still on their way: look again in a minute");
	nh_tell_unknown(a, f, "which key it waits for: the store's server alone knows");
	*nh_push(a, &f->refutes) = "the wait ends although the ranks named did not come";
	nh_live_tell_rest(job, f, culprit);
	nh_tell_remedy(a, f,
		"see that every host started its ranks, with one WORLD_SIZE, MASTER_ADDR and "
		"MASTER_PORT, and that the port can be reached",
		NULL);
}
