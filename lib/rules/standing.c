#include "rules/standing.h"

#include <string.h>
#include "rules/nccl.h"
#include "rules/role.h"
#include "base/str.h"
#include "know/awaits.h"

const char *nh_standing_word(enum nh_standing s)
{
	static const char *const words[NH_STANDINGS] = {
		[NH_IN_CHAIN] = "in the chain",
		[NH_STILL] = "stands still",
		[NH_UNSEEN] = "not known",
		[NH_AWAITS] = "waits",
		[NH_MOVES] = "moves",
		[NH_IDLE] = "idle by design",
		[NH_ENDED] = "ended",
	};

	return words[s];
}

static bool is_in_chain(const struct nh_case *c, const struct nh_thread *t)
{
	nh_for(f, &c->verdict.findings)
		nh_for(v, &f->victims)
			if (v->pid == t->pid && v->tid == t->tid)
				return true;
	return false;
}

static bool wants_gil(const struct nh_graph *g, const struct nh_thread *t)
{
	nh_for(in, &g->ix.c->interpreters)
		if (in->sample == t->sample && in->pid == t->pid)
			nh_for(tid, &in->waiters)
				if (*tid == t->tid)
					return true;
	return false;
}

/* By the edges out of it: another thread, a child. */
static const char *by_edge(const struct nh_graph *g, const struct nh_thread *t)
{
	static const char *const whom[NH_EDGE_KINDS] = {
		[NH_EDGE_JOINS] = "a thread to end",
		[NH_EDGE_LOCKS] = "the lock of another thread",
		[NH_EDGE_CHILD] = "its child to end",
		[NH_EDGE_OPENS] = "somebody to open the FIFO",
	};

	for (int k = 0; k < NH_EDGE_KINDS; k++) {
		size_t n;

		nh_graph_out(g, (struct nh_node){ NH_NODE_THREAD, t }, (enum nh_edge_kind)k, &n);
		if (n && whom[k])
			return whom[k];
	}
	/* Any child, or one that is not in the case. */
	return nh_graph_wait(g, t).kind == NH_WAIT_CHILD ? "a child to end" : NULL;
}

/* The one connection that it waits on. */
static const char *by_peer(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_edge *e = NULL;
	size_t n = 0;

	for (int k = NH_EDGE_POLLS; k <= NH_EDGE_READS && n != 1; k++)
		e = nh_graph_out(
			g, (struct nh_node){ NH_NODE_THREAD, t }, (enum nh_edge_kind)k, &n);
	if (n != 1 || e->to.kind != NH_NODE_SOCKET ||
		((const struct nh_socket *)e->to.row)->state != NH_TCP_ESTABLISHED)
		return NULL;
	return nh_index_peer(&g->ix, e->to.row) ? "a peer on this host" : "a peer on another host";
}

static const char *python_words(struct nh_arena *a, const struct nh_frame *f)
{
	const char *file = f->file ? f->file : "?", *slash = strrchr(file, '/');

	return nh_arena_printf(a, "%s (%s:%jd)", f->func ? f->func : "?", slash ? slash + 1 : file,
		(intmax_t)f->line);
}

/* Of Python's own library: where a thread waits, not why. */
static bool is_plumbing(const struct nh_frame *f)
{
	return f->file && strstr(f->file, "/lib/python3") && !strstr(f->file, "-packages/");
}

static const char *in_python(struct nh_arena *a, const struct nh_stack *s, size_t own)
{
	const struct nh_frame *inner = NULL, *user = NULL;

	for (size_t i = 0; i < own && !user; i++) {
		const struct nh_frame *f = &s->frames.v[i];

		if (f->python && !inner)
			inner = f;
		if (f->python && !is_plumbing(f))
			user = f;
	}
	if (!inner || inner == user || !user)
		return inner ? python_words(a, inner) : NULL;
	return nh_arena_printf(
		a, "%s, called by %s", python_words(a, inner), python_words(a, user));
}

static const char *where_of(struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_stack *s = nh_index_stack(&g->ix, t->stack);
	size_t own = s ? nh_own_frames(s) : 0;
	const char *where = in_python(a, s, own);
	char buf[256];

	for (size_t i = 0; i < own && !where; i++) {
		const struct nh_frame *f = &s->frames.v[i];
		const char *name = nh_frame_name(f, buf, sizeof(buf));

		if (*name && !nh_frame_is_runtime(f))
			where = nh_arena_printf(a, "%s (%s)", name, f->module ? f->module : "?");
	}
	return where;
}

static bool has_ended(const struct nh_thread *t)
{
	return nh_streq(t->state, "Z") || nh_streq(t->state, "X");
}

/* Whom a thread waits for by what is on its stack; one that runs there waits only if that call
 * spins. */
static const char *by_stack(const struct nh_graph *g, const struct nh_thread *t, bool runs)
{
	const struct nh_await *row;
	size_t at;

	if (t->stack == NH_UNKNOWN || !nh_index_stack_at(&g->ix, t->stack, &at))
		return NULL;
	row = g->stack_roles.v[at].awaits;
	return row && (row->spins || !runs) ? row->whom : NULL;
}

static const char *whom_of(const struct nh_graph *g, const struct nh_thread *t)
{
	return wants_gil(g, t) ? "the GIL" : by_edge(g, t);
}

static bool is_stopped(const struct nh_thread *t)
{
	return nh_streq(t->state, "T") || nh_streq(t->state, "t");
}

static enum nh_standing standing_of(const struct nh_graph *g, const struct nh_thread *t,
	const struct nh_role *role, const char **whom)
{
	bool runs = t->running || nh_streq(t->state, "R");

	*whom = NULL;
	if (is_in_chain(g->ix.c, t))
		return NH_IN_CHAIN;
	if (has_ended(t))
		return NH_ENDED;
	if (!runs && !is_stopped(t))
		*whom = whom_of(g, t);
	if (!*whom && role->idle && !nh_is_awaited(g, t))
		return NH_IDLE;
	if (!*whom && !is_stopped(t))
		*whom = by_stack(g, t, runs);
	if (!*whom && !runs && !is_stopped(t))
		*whom = by_peer(g, t);
	if (*whom)
		return NH_AWAITS;
	if (runs)
		return NH_MOVES;
	if ((t->nr == NH_UNKNOWN && !is_stopped(t)) || g->ix.c->samples.n < 2)
		return NH_UNSEEN;
	return nh_has_not_moved(g, t) ? NH_STILL : NH_MOVES;
}

struct nh_thread_stand nh_thread_stands(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_role role = nh_role_of(g, t);
	struct nh_thread_stand s = { .role = role.word, .shape = role.shape };

	if (role.nccl != NH_ROLE_NONE)
		s.role = nh_arena_printf(a, "NCCL %s", role.word);
	s.standing = standing_of(g, t, &role, &s.whom);
	if (s.standing == NH_STILL)
		s.where = where_of(a, g, t);
	return s;
}
