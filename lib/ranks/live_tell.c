#include "ranks/live_tell.h"

#include <string.h>
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/set.h"
#include "base/str.h"

enum { PLACES_SHOWN = 8, PEERS_SHOWN = 4 };

static struct nh_actor actor_of(const struct nh_live_rank *r)
{
	return (struct nh_actor){ .host = r->g->ix.c->host,
		.pid = r->p ? r->p->pid : NH_UNKNOWN,
		.start = r->p ? r->p->start : NH_UNKNOWN,
		.tid = r->t ? r->t->tid : NH_UNKNOWN,
		.rank = r->rank,
		.fd = NH_UNKNOWN,
		.comm = r->p ? r->p->comm : NULL };
}

struct nh_finding *nh_live_begin(
	struct nh_live_job *job, const char *id, int confidence, const struct nh_live_rank *culprit)
{
	struct nh_finding *f =
		nh_row_push(job->a, &nh_finding_type, (struct nh_vec *)&job->verdict->findings);

	f->id = id;
	f->confidence = confidence;
	f->of_ranks = true;
	if (culprit) {
		f->culprit = nh_new(job->a, struct nh_actor, 1);
		*f->culprit = actor_of(culprit);
	}
	nh_for(r, &job->ranks)
		if (r->doing == NH_DOES_WAIT && r != culprit)
			*nh_push(job->a, &f->victims) = actor_of(r);
	return f;
}

const char *nh_live_verb(const struct nh_ranks *r, const char *one, const char *many)
{
	return r->n == 1 ? one : many;
}

void nh_live_tell_link(struct nh_live_job *job, struct nh_finding *f, const struct nh_ranks *from,
	const struct nh_ranks *to, const char *fact)
{
	if (from->n && to->n)
		*nh_push(job->a, &f->chain) = (struct nh_link){ nh_ranks_words(job->a, from),
			nh_ranks_words(job->a, to), nh_edge_name(NH_EDGE_RANK), fact, true };
}

/* Of the program itself, not of Python's library or of a package. */
static bool is_program(const struct nh_frame *f)
{
	return f->file && *f->file != '<' && !strstr(f->file, "/lib/python3") &&
	       !nh_coll_is_library(f);
}

static const char *frame_words(struct nh_arena *a, const struct nh_frame *f)
{
	return nh_arena_printf(
		a, "%s (%s:%jd)", f->func, f->file ? f->file : "?", (intmax_t)f->line);
}

/* The innermost Python function, and which one of the program's led there. */
static const char *python_words(struct nh_arena *a, const struct nh_stack *s)
{
	const struct nh_frame *last = NULL;

	if (s)
		nh_for(f, &s->frames) {
			if (!f->python || !f->func)
				continue;
			if (is_program(f))
				return last ? nh_arena_printf(a, "%s, called by %s",
						      frame_words(a, last), frame_words(a, f))
					    : frame_words(a, f);
			last = last ? last : f;
		}
	return last ? frame_words(a, last) : NULL;
}

static const char *thread_words(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = t ? nh_stack_of(g, t) : NULL;
	const char *words = python_words(a, s);

	if (words)
		return words;
	if (s && s->frames.n)
		return nh_stack_words(a, s, 0, s->frames.n < 4 ? s->frames.n - 1 : 3);
	return "a place that could not be read";
}

const char *nh_live_place_words(struct nh_arena *a, const struct nh_live_rank *r)
{
	return thread_words(a, r->g, r->t);
}

static const char *call_words(struct nh_arena *a, const struct nh_call *c)
{
	const char *op = c->op			      ? c->op
			 : c->kind == NH_COLL_DEVICE  ? "a call that waits for the GPU"
			 : c->kind == NH_COLL_SERVANT ? "an operation of its process group"
						      : "the wait for an operation it issued";

	return c->servant ? nh_arena_printf(a, "%s, issued without waiting", op) : op;
}

const char *nh_live_op_words(const struct nh_live_job *job)
{
	const char *op = NULL;

	nh_for(r, &job->ranks) {
		const char *one = r->doing == NH_DOES_WAIT ? call_words(job->a, &r->call) : NULL;

		if (one && op && strcmp(op, one) != 0)
			return "collectives";
		op = one ? one : op;
	}
	return op ? op : "nothing";
}

static const char *move_words(struct nh_arena *a, const struct nh_live_rank *r)
{
	const struct nh_case *c = r->g->ix.c;

	switch (r->move) {
	case NH_MOVE_STILL:
		return "it did not leave that wait between the samples";
	case NH_MOVE_BUSY:
	case NH_MOVE_ON:
		if (!r->cpu)
			return "it wakes up now and then, and used no CPU time between the samples";
		return nh_arena_printf(a,
			"it moves: its threads used %s of CPU time between the samples",
			nh_ticks_words(a, c, r->cpu));
	case NH_MOVE_ONCE:
		break;
	}
	return "one sample of it: whether it moves is not known";
}

static void tell_place(struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r)
{
	struct nh_arena *a = job->a;
	const char *who = r->p ? nh_name_process(a, r->p) : "no process";
	const char *host = job->hosts > 1 && r->g->ix.c->host
				   ? nh_arena_printf(a, " on %s", r->g->ix.c->host)
				   : "";
	const struct nh_thread *main =
		r->p ? nh_index_thread(&r->g->ix, r->p->pid, r->p->pid) : NULL;

	if (!r->t || r->doing == NH_DOES_GONE || r->doing == NH_DOES_UNSEEN)
		return;
	if (r->doing == NH_DOES_WAIT)
		nh_tell_evidence(a, f, "rank %jd, %s%s, is in %s%s%s", (intmax_t)r->rank, who, host,
			call_words(a, &r->call), r->call.from ? ", called by " : "",
			r->call.from ? frame_words(a, r->call.from) : "");
	else
		nh_tell_evidence(a, f, "rank %jd, %s%s, is in no collective: %s; %s; %s",
			(intmax_t)r->rank, who, host, nh_live_place_words(a, r),
			nh_state_words(a, &r->g->ix, r->t), move_words(a, r));
	if (main && r->doing == NH_DOES_WAIT && main != r->t && !r->call.servant)
		nh_tell_evidence(a, f, "that is its thread %jd; its main thread: %s; %s",
			(intmax_t)r->t->tid, thread_words(a, r->g, main),
			nh_state_words(a, &r->g->ix, main));
	if (r->second.kind != NH_COLL_NONE)
		nh_tell_evidence(a, f, "rank %jd's thread %jd is in %s at the same time%s%s",
			(intmax_t)r->rank, (intmax_t)r->second.t->tid, call_words(a, &r->second),
			r->second.from ? ", called by " : "",
			r->second.from ? frame_words(a, r->second.from) : "");
}

void nh_live_tell_places(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_ranks *ranks)
{
	for (size_t i = 0; i < ranks->n && i < PLACES_SHOWN; i++)
		tell_place(job, f, nh_live_rank(job, ranks->v[i]));
}

/* Whether this host has the address: some other socket's own end is on it. */
static bool is_local(const struct nh_graph *g, const char *address)
{
	size_t n = strcspn(address, ":");

	if (*address == '[')
		n = strcspn(address, "]");
	nh_for(s, &g->ix.sockets)
		if ((*s)->local && !strncmp((*s)->local, address, n + 1))
			return true;
	return false;
}

/* "10.0.0.2" of "10.0.0.2:4711" */
static const char *host_part(struct nh_arena *a, const char *address)
{
	const char *colon = strrchr(address, ':');

	return nh_arena_printf(a, "%.*s", colon ? (int)(colon - address) : 0, address);
}

/* Other hosts that a rank is connected to: the ones it waits for may be there. */
static void tell_peers(struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *r)
{
	struct nh_set seen = { 0 };
	const char *names = "";
	size_t n = 0;

	nh_for(fd, &r->g->ix.fds) {
		const struct nh_socket *s = (*fd)->pid == r->p->pid && (*fd)->inode > 0
						    ? nh_index_socket(&r->g->ix, (*fd)->inode)
						    : NULL;
		const char *host;

		if (!s || s->family == NH_UNIX || s->state != NH_TCP_ESTABLISHED || !s->remote ||
			nh_index_peer(&r->g->ix, s) || is_local(r->g, s->remote))
			continue;
		host = host_part(job->a, s->remote);
		if (nh_set_add(job->a, &seen, nh_hash(host, strlen(host), 0)) && n++ < PEERS_SHOWN)
			names = nh_arena_printf(job->a, "%s%s%s", names, n > 1 ? ", " : "", host);
	}
	if (n)
		nh_tell_unknown(job->a, f,
			"what is behind the connections of rank %jd to other hosts: %s%s",
			(intmax_t)r->rank, names, n > PEERS_SHOWN ? " and more" : "");
}

void nh_live_tell_rest(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *culprit)
{
	struct nh_arena *a = job->a;
	bool peers = false;

	if (job->by[NH_DOES_UNSEEN].n)
		nh_tell_unknown(a, f, "what %s %s: no stack could be taken",
			nh_ranks_words(a, &job->by[NH_DOES_UNSEEN]),
			nh_live_verb(&job->by[NH_DOES_UNSEEN], "does", "do"));
	if (job->elsewhere.n)
		nh_tell_unknown(a, f, "what %s %s: not among the processes that were inspected",
			nh_ranks_words(a, &job->elsewhere),
			nh_live_verb(&job->elsewhere, "does", "do"));
	for (size_t i = 0; i < job->ranks.n && !peers && job->elsewhere.n; i++)
		if (job->ranks.v[i].doing == NH_DOES_WAIT) {
			tell_peers(job, f, &job->ranks.v[i]);
			peers = true;
		}
	if (job->hosts > 1)
		nh_tell_unknown(a, f, "whether all hosts were looked at in the same moment");
	nh_tell_unknown(a, f,
		"which process group each call is on, and its sequence number: stacks do not tell; "
		"flight-recorder dumps do");
	if (culprit && culprit->p)
		nh_tell_save(a, f, culprit->p->pid);
	if (job->elsewhere.n)
		nh_tell_remedy(a, f, "look at the ranks of the other hosts too, and merge",
			"pdsh -w HOSTS ncclhang -f json | ncclhang report -");
}

static bool concerns(const struct nh_finding *f, const struct nh_live_rank *r)
{
	if (!r->p || f->of_ranks || f->confidence < NH_LIKELY)
		return false;
	nh_for(v, &f->victims)
		if (v->pid == r->p->pid && nh_streq(v->host, r->g->ix.c->host))
			return true;
	return f->culprit && f->culprit->pid == r->p->pid &&
	       nh_streq(f->culprit->host, r->g->ix.c->host);
}

static bool is_victim(const struct nh_finding *f, const struct nh_actor *who)
{
	nh_for(v, &f->victims)
		if (v->pid == who->pid && v->tid == who->tid && nh_streq(v->host, who->host))
			return true;
	return false;
}

/* Of several hosts' findings one may have said it already, of fewer ranks. */
static void tell_once(
	struct nh_arena *a, struct nh_finding *f, const char *ending, const char *words)
{
	nh_for(e, &f->evidence)
		if (nh_ends_with(*e, ending)) {
			*e = words;
			return;
		}
	nh_tell_evidence(a, f, "%s", words);
}

void nh_live_tell_cause(
	struct nh_live_job *job, struct nh_finding *f, const struct nh_live_rank *culprit)
{
	const struct nh_ranks *in = &job->by[NH_DOES_WAIT];
	const char *ending = nh_arena_printf(job->a, "(inferred: %s)", f->id);

	nh_for(cause, &job->verdict->findings) {
		if (!concerns(cause, culprit))
			continue;
		nh_tell_evidence(
			job->a, f, "why it does not come: %s (%s)", cause->title, cause->id);
		tell_once(job->a, cause, ending,
			nh_arena_printf(job->a, "%s %s for it in %s %s", nh_ranks_words(job->a, in),
				nh_live_verb(in, "waits", "wait"), nh_live_op_words(job), ending));
		nh_for(v, &f->victims)
			if (!is_victim(cause, v))
				*nh_push(job->a, &cause->victims) = *v;
	}
}
