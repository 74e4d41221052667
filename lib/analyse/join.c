#include "analyse/join.h"

#include <string.h>
#include "base/str.h"

static bool same_actor(const struct nh_actor *a, const struct nh_actor *b)
{
	return a->pid == b->pid && a->start == b->start && a->tid == b->tid && a->rank == b->rank &&
	       nh_streq(a->host, b->host);
}

static bool joins(const struct nh_finding *a, const struct nh_finding *b)
{
	const struct nh_actor *x = a->culprit, *y = b->culprit;

	return x && y && (x->pid != NH_UNKNOWN || x->rank != NH_UNKNOWN) && same_actor(x, y) &&
	       a->confidence == b->confidence && !strcmp(a->id, b->id);
}

struct sentences {
	const char **v;
	size_t n, cap;
};

static void add(struct nh_arena *a, struct sentences *to, const char *s)
{
	nh_for(old, to)
		if (nh_streq(*old, s))
			return;
	*nh_push(a, to) = s;
}

static void add_all(struct nh_arena *a, struct nh_vec *to, const struct nh_vec *from)
{
	const char *const *s = from->v;

	for (size_t i = 0; i < from->n; i++)
		add(a, (struct sentences *)to, s[i]);
}

static void add_victim(struct nh_arena *a, struct nh_finding *to, const struct nh_actor *who)
{
	nh_for(old, &to->victims)
		if (same_actor(old, who))
			return;
	*nh_push(a, &to->victims) = *who;
}

static void add_link(struct nh_arena *a, struct nh_finding *to, const struct nh_link *l)
{
	nh_for(old, &to->chain)
		if (nh_streq(old->from, l->from) && nh_streq(old->to, l->to) &&
			nh_streq(old->edge, l->edge))
			return;
	*nh_push(a, &to->chain) = *l;
}

static void add_gate(struct nh_arena *a, struct nh_finding *to, const struct nh_gate *g)
{
	nh_for(old, &to->gates)
		if (nh_streq(old->gate, g->gate) && nh_streq(old->fact, g->fact))
			return;
	*nh_push(a, &to->gates) = *g;
}

/* Behind those that say the same with another command: their order is the order to try them in. */
static void add_remedy(struct nh_arena *a, struct nh_finding *to, const struct nh_remedy *r)
{
	size_t at = 0;

	for (size_t i = 0; i < to->remedy.n; i++) {
		if (!nh_streq(to->remedy.v[i].what, r->what))
			continue;
		if (nh_streq(to->remedy.v[i].command, r->command))
			return;
		at = i + 1;
	}
	nh_push(a, &to->remedy);
	at = at ? at : to->remedy.n - 1;
	for (size_t i = to->remedy.n - 1; i > at; i--)
		to->remedy.v[i] = to->remedy.v[i - 1];
	to->remedy.v[at] = *r;
}

static void join(struct nh_arena *a, struct nh_finding *to, const struct nh_finding *from)
{
	if (!nh_streq(to->title, from->title))
		*nh_push(a, &to->evidence) = nh_arena_printf(a, "likewise: %s", from->title);
	nh_for(who, &from->victims)
		add_victim(a, to, who);
	nh_for(l, &from->chain)
		add_link(a, to, l);
	nh_for(g, &from->gates)
		add_gate(a, to, g);
	add_all(a, (struct nh_vec *)&to->evidence, (const struct nh_vec *)&from->evidence);
	add_all(a, (struct nh_vec *)&to->refutes, (const struct nh_vec *)&from->refutes);
	add_all(a, (struct nh_vec *)&to->unknown, (const struct nh_vec *)&from->unknown);
	nh_for(r, &from->remedy)
		add_remedy(a, to, r);
}

/* Whether it is about a process that was asked for. */
static bool is_asked(const struct nh_case *c, const struct nh_finding *f)
{
	nh_for(pid, &c->asked)
		if (f->victims.n && f->victims.v[0].pid == *pid)
			return true;
	return false;
}

void nh_join_findings(struct nh_case *c)
{
	struct nh_verdict *v = &c->verdict;
	size_t kept = 0;

	for (size_t i = 0; i < v->findings.n; i++) {
		struct nh_finding *f = &v->findings.v[i], *to = NULL;

		for (size_t k = 0; k < kept && !to; k++)
			to = joins(&v->findings.v[k], f) ? &v->findings.v[k] : NULL;
		if (!to) {
			v->findings.v[kept++] = *f;
			continue;
		}
		/* What was asked for is told first, by its own descriptors. */
		if (is_asked(c, f) && !is_asked(c, to)) {
			struct nh_finding other = *to;

			*to = *f;
			*f = other;
		}
		join(c->arena, to, f);
	}
	v->findings.n = kept;
}
