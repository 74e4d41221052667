#include "tui/look.h"

#include <inttypes.h>
#include <string.h>
#include "graph/words.h"
#include "base/set.h"
#include "base/str.h"
#include "know/teardown.h"
#include "report/words.h"
#include "tui/tree.h"

static bool on_host(const struct nh_case *c, const struct nh_actor *who)
{
	return !who->host || nh_streq(who->host, c->host);
}

static bool in_chain(const struct nh_look *l, const struct nh_case *c, const struct nh_thread *t)
{
	nh_for(f, &l->merged->verdict.findings)
		nh_for(v, &f->victims)
			if (v->pid == t->pid && v->tid == t->tid && on_host(c, v))
				return true;
	return false;
}

bool nh_look_culprit(const struct nh_look *l, size_t host, int64_t pid)
{
	nh_for(f, &l->merged->verdict.findings)
		if (f->culprit && f->culprit->pid == pid && on_host(l->cases[host], f->culprit))
			return true;
	return false;
}

/* What a stack says of its thread, the most telling first. */
static const struct {
	enum nh_td_kind kind;
	const char *role;
} roles[] = { { NH_TD_SERVICE, "service" }, { NH_TD_PROGRESS, "progress" },
	{ NH_TD_ABORT, "abort" }, { NH_TD_DESTROY, "destroy" }, { NH_TD_FINALIZE, "finalize" },
	{ NH_TD_JOB, "teardown" }, { NH_TD_INNER, "teardown" } };
#define NROLES (sizeof(roles) / sizeof(*roles))

static const char *stack_role(const struct nh_stack *s)
{
	size_t best = NROLES;

	nh_for(f, &s->frames) {
		enum nh_td_kind kind = nh_teardown_kind(f);

		for (size_t i = 0; i < best; i++)
			if (roles[i].kind == kind)
				best = i;
	}
	return best < NROLES ? roles[best].role : NULL;
}

/* Threads by the thousand share few stacks: each is read once. */
struct stack_roles {
	const struct nh_index *ix;
	const char **role; /* as ix->stacks */
};

static struct stack_roles stack_roles_of(struct nh_arena *a, const struct nh_index *ix)
{
	struct stack_roles r = { .ix = ix, .role = nh_new(a, const char *, ix->stacks.n + 1) };

	for (size_t i = 0; i < ix->stacks.n; i++)
		r.role[i] = stack_role(ix->stacks.v[i]);
	return r;
}

static const char *role(const struct stack_roles *r, const struct nh_thread *t)
{
	size_t lo = 0, hi = r->ix->stacks.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->ix->stacks.v[mid]->stack < t->stack)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (t->stack != NH_UNKNOWN && lo < r->ix->stacks.n &&
		r->ix->stacks.v[lo]->stack == t->stack && r->role[lo])
		return r->role[lo];
	return t->tid == t->pid ? "main" : "";
}

static bool other_stack(const struct nh_thread *t, const struct nh_thread *then)
{
	return t->stack != NH_UNKNOWN && then->stack != NH_UNKNOWN && t->stack != then->stack;
}

static char mark(const struct nh_graph *g, const struct nh_thread *t, const struct nh_thread *then,
	bool stacks)
{
	struct nh_wait w = nh_graph_wait(g, t), v;

	if (!then || then->start != t->start)
		return '+';
	v = nh_graph_wait(g, then);
	if (!nh_streq(w.call, v.call) || !nh_streq(t->state, then->state) || w.addr != v.addr ||
		(stacks && other_stack(t, then)))
		return '!';
	if (t->running || t->vcsw != then->vcsw || t->nvcsw != then->nvcsw ||
		t->utime != then->utime || t->stime != then->stime)
		return '~';
	return ' ';
}

static bool leads_somewhere(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_node n = { NH_NODE_THREAD, t };
	size_t joins, reads;

	nh_graph_out(g, n, NH_EDGE_JOINS, &joins);
	nh_graph_out(g, n, NH_EDGE_READS, &reads);
	return joins || reads;
}

/* What rows are compared with: the last sample of the look before, else the first of this one. */
struct then {
	struct nh_index ix;
	bool known;
	bool stacks; /* numbers of stacks mean the same in both */
};

static struct then then_of(struct nh_look *l, size_t host, const struct nh_look *before)
{
	const struct nh_case *c = l->cases[host];
	struct then then = { 0 };

	for (size_t i = 0; before && i < before->n; i++)
		if (nh_streq(before->cases[i]->host, c->host)) {
			then.ix = before->graphs[i].ix;
			then.known = true;
			return then;
		}
	if (c->samples.n > 1) {
		nh_index_build(l->a, c, c->samples.v[0].sample, &then.ix);
		then.known = then.stacks = true;
	}
	return then;
}

static const char *stand_words(struct nh_arena *a, const struct nh_thread_stand *s)
{
	return nh_arena_printf(a, "%s%s%s%s%s", s->role ? s->role : "", s->role ? ", " : "",
		nh_standing_word(s->standing), s->whom ? " for " : "", s->whom ? s->whom : "");
}

static void thread(struct nh_look *l, size_t host, const struct nh_thread *t,
	const struct then *then, const struct stack_roles *stacks)
{
	const struct nh_graph *g = &l->graphs[host];
	struct nh_thread_row *row = nh_push(l->a, &l->threads);
	struct nh_thread_stand stand = nh_thread_stands(l->a, g, t);

	*row = (struct nh_thread_row){ .ref = { host, { NH_NODE_THREAD, t } },
		.t = t,
		.waits = nh_state_words(l->a, &g->ix, t),
		.role = role(stacks, t),
		.mark = ' ',
		.in_chain = in_chain(l, l->cases[host], t) };
	if (then->known)
		row->mark = mark(g, t, nh_index_thread(&then->ix, t->pid, t->tid), then->stacks);
	row->text = nh_escape(l->a,
		nh_arena_printf(l->a, "%c%c%8" PRId64 " %8" PRId64 " %s %-15s %-8s %s",
			row->in_chain ? '*' : ' ', row->mark, t->pid, t->tid,
			t->state ? t->state : "?", t->comm ? t->comm : "?", row->role, row->waits));
	row->stand = stand_words(l->a, &stand);
	row->idle = !row->in_chain &&
		    (stand.standing == NH_IDLE || (nh_streq(t->state, "S") && row->mark == ' ' &&
							  !leads_somewhere(g, t)));
}

static void name_chains(struct nh_look *l, size_t host, const struct nh_set *wanted)
{
	const struct nh_index *ix = &l->graphs[host].ix;

#define NAME(list, kind_)                                                                          \
	nh_for(row, &ix->list) {                                                                   \
		struct nh_node node = { kind_, *row };                                             \
		const char *name = nh_name_node(l->a, node);                                       \
                                                                                                   \
		if (nh_set_has(wanted, nh_hash(name, strlen(name), 1)))                            \
			*nh_push(l->a, &l->named) = (struct nh_named){ name, { host, node } };     \
	}
	NAME(threads, NH_NODE_THREAD)
	NAME(processes, NH_NODE_PROCESS)
	NAME(sockets, NH_NODE_SOCKET)
#undef NAME
	nh_for(fd, &ix->fds) {
		struct nh_node node = { NH_NODE_OBJECT, *fd };
		const char *name = nh_name_node(l->a, node);

		if (nh_graph_object(&l->graphs[host], *fd) == *fd &&
			nh_set_has(wanted, nh_hash(name, strlen(name), 1)))
			*nh_push(l->a, &l->named) = (struct nh_named){ name, { host, node } };
	}
}

static struct nh_set chain_names(struct nh_look *l)
{
	struct nh_set set = { 0 };

	nh_for(f, &l->merged->verdict.findings)
		nh_for(link, &f->chain) {
			nh_set_add(l->a, &set, nh_hash(link->from, strlen(link->from), 1));
			nh_set_add(l->a, &set, nh_hash(link->to, strlen(link->to), 1));
		}
	return set;
}

struct nh_ref nh_look_find(const struct nh_look *l, const struct nh_finding *f, const char *name)
{
	const struct nh_actor *who = f->victims.n ? f->victims.v : f->culprit;
	struct nh_ref any = { 0 };

	nh_for(n, &l->named) {
		if (strcmp(n->name, name) != 0)
			continue;
		if (!who || on_host(l->cases[n->ref.host], who))
			return n->ref;
		any = n->ref;
	}
	return any;
}

const void *nh_look_earlier(const struct nh_look *l, struct nh_ref ref)
{
	const struct nh_case *c = l->cases[ref.host];
	const struct nh_thread *t = ref.node.row;
	const struct nh_socket *s = ref.node.row;
	const struct nh_process *p = ref.node.row;
	const struct nh_fd *fd = ref.node.row;

	if (c->samples.n < 2)
		return NULL;
	if (ref.node.kind == NH_NODE_THREAD) {
		nh_for(old, &c->threads)
			if (old->sample == c->samples.v[0].sample && old->pid == t->pid &&
				old->tid == t->tid && old->start == t->start)
				return old;
	} else if (ref.node.kind == NH_NODE_PROCESS) {
		nh_for(old, &c->processes)
			if (old->sample == c->samples.v[0].sample && old->pid == p->pid &&
				old->start == p->start)
				return old;
	} else if (ref.node.kind == NH_NODE_SOCKET) {
		nh_for(old, &c->sockets)
			if (old->sample == c->samples.v[0].sample && old->inode == s->inode &&
				old->netns == s->netns)
				return old;
	} else if (ref.node.kind == NH_NODE_OBJECT) {
		nh_for(old, &c->fds)
			if (old->sample == c->samples.v[0].sample && old->pid == fd->pid &&
				old->fd == fd->fd && old->kind == fd->kind &&
				old->inode == fd->inode)
				return old;
	}
	return NULL;
}

static void count_changes(struct nh_look *l, const struct nh_look *before)
{
	size_t moved = 0, ran = 0, fresh = 0, gone;
	const char *was = nh_status_names[before->merged->verdict.status];
	const char *is = nh_status_names[l->merged->verdict.status];

	nh_for(row, &l->threads) {
		moved += row->mark == '!';
		ran += row->mark == '~';
		fresh += row->mark == '+';
	}
	gone = before->threads.n + fresh - l->threads.n;
	l->changes = nh_arena_printf(l->a,
		"since the look before: %zu moved, %zu ran, %zu new, %zu gone; %s%s", moved, ran,
		fresh, gone,
		nh_streq(was, is) ? "still " : nh_arena_printf(l->a, "was %s, now ", was), is);
}

const struct nh_look *nh_look_new(struct nh_arena *a, const struct nh_case *merged,
	struct nh_case *const *cases, size_t n, const struct nh_look *before)
{
	struct nh_look *l = nh_new(a, struct nh_look, 1);
	struct nh_graph *graphs = nh_new(a, struct nh_graph, n + 1);
	struct nh_set names;

	*l = (struct nh_look){ .a = a, .merged = merged, .cases = cases, .n = n, .graphs = graphs };
	names = chain_names(l);
	for (size_t i = 0; i < n; i++) {
		struct stack_roles stacks;
		struct then then;

		nh_graph_build(a, cases[i], nh_last_sample(cases[i]), &graphs[i]);
		then = then_of(l, i, before);
		stacks = stack_roles_of(a, &graphs[i].ix);
		nh_for(t, &graphs[i].ix.threads)
			thread(l, i, *t, &then, &stacks);
		nh_tree_add(l, i);
		name_chains(l, i, &names);
	}
	if (before)
		count_changes(l, before);
	return l;
}
