#include "report/picture.h"

#include <string.h>
#include "graph/words.h"
#include "base/set.h"

/* A case's drawing in progress. */
struct pencil {
	struct nh_picture *p;
	const struct nh_graph *g;
	size_t host;
	struct nh_set chain; /* hashes of the names in the chains of its findings */
};

static uint64_t hash(const char *name)
{
	return nh_hash(name, strlen(name), 1);
}

static struct nh_drawn *find(struct nh_picture *p, size_t host, const char *name)
{
	nh_for(d, &p->nodes)
		if (d->host == host && !strcmp(d->name, name))
			return d;
	return NULL;
}

static struct nh_drawn *add(struct nh_picture *p, size_t host, const char *name)
{
	struct nh_drawn *d = nh_push(p->a, &p->nodes);

	*d = (struct nh_drawn){ .name = name, .host = host, .pid = NH_UNKNOWN, .tid = NH_UNKNOWN };
	return d;
}

/* The node of a graph, drawn now if it was not; NULL where the picture is full. */
static struct nh_drawn *draw(struct pencil *pen, struct nh_node n)
{
	const char *name = nh_name_node(pen->p->a, n);
	struct nh_drawn *d = find(pen->p, pen->host, name);

	if (d)
		return d;
	if (pen->p->nodes.n >= pen->p->limit)
		return NULL;
	d = add(pen->p, pen->host, name);
	d->node = n;
	if (n.kind == NH_NODE_THREAD) {
		d->pid = ((const struct nh_thread *)n.row)->pid;
		d->tid = ((const struct nh_thread *)n.row)->tid;
	} else if (n.kind == NH_NODE_PROCESS) {
		d->pid = ((const struct nh_process *)n.row)->pid;
	}
	return d;
}

/* Of a poll set only the slot that matters is drawn: the others are what an idle one has too. */
static bool worth(const struct pencil *pen, const struct nh_edge *e)
{
	return e->kind != NH_EDGE_POLLS || pen->p->limit == SIZE_MAX ||
	       nh_set_has(&pen->chain, hash(nh_name_node(pen->p->a, e->to)));
}

static struct nh_arrow *find_arrow(struct nh_picture *p, size_t from, size_t to)
{
	nh_for(a, &p->arrows)
		if (a->from == from && a->to == to)
			return a;
	return NULL;
}

static void draw_edges(struct pencil *pen, size_t from, enum nh_edge_kind kind)
{
	struct nh_picture *p = pen->p;
	size_t n;
	const struct nh_edge *e = nh_graph_out(pen->g, p->nodes.v[from].node, kind, &n);

	for (size_t i = 0; i < n; i++) {
		const struct nh_drawn *to = worth(pen, &e[i]) ? draw(pen, e[i].to) : NULL;

		/* A connection is one line, drawn from the end that was met first. */
		if (to && kind == NH_EDGE_PEER && find_arrow(p, (size_t)(to - p->nodes.v), from))
			continue;
		if (to)
			*nh_push(p->a, &p->arrows) = (struct nh_arrow){ .from = from,
				.to = (size_t)(to - p->nodes.v),
				.label = nh_edge_name(kind) };
		else
			p->nodes.v[from].more++;
	}
}

static size_t chain_node(struct nh_picture *p, size_t host, const char *name)
{
	struct nh_drawn *d = find(p, host, name);

	d = d ? d : add(p, host, name);
	d->chain = true;
	return (size_t)(d - p->nodes.v);
}

/* The chain's links on top of what the graph gave; one that it lacks is drawn from the words. */
static void chain(struct nh_picture *p, const struct nh_finding *f, size_t host)
{
	size_t to = 0;

	nh_for(l, &f->chain) {
		size_t from = chain_node(p, host, l->from);
		struct nh_arrow *a;

		to = chain_node(p, host, l->to);
		a = find_arrow(p, from, to);
		if (!a) {
			a = nh_push(p->a, &p->arrows);
			*a = (struct nh_arrow){ .from = from, .to = to, .label = l->edge };
		}
		a->chain = true;
		a->inferred = l->inferred;
	}
	if (f->chain.n && f->culprit)
		p->nodes.v[to].culprit = true;
}

static bool is_victim(const struct nh_case *c, const struct nh_thread *t)
{
	nh_for(f, &c->verdict.findings)
		nh_for(v, &f->victims)
			if (v->pid == t->pid && v->tid == t->tid)
				return true;
	return false;
}

void nh_picture_add(
	struct nh_picture *p, const struct nh_case *c, size_t host, const struct nh_graph *g)
{
	struct pencil pen = { .p = p, .g = g, .host = host };
	size_t first = p->nodes.n;

	nh_for(f, &c->verdict.findings)
		nh_for(l, &f->chain) {
			nh_set_add(p->a, &pen.chain, hash(l->from));
			nh_set_add(p->a, &pen.chain, hash(l->to));
		}
	/* The chains first: they must not find the picture full. */
	for (int victims = 1; victims >= 0; victims--)
		nh_for(t, &g->ix.threads) {
			struct nh_node n = { NH_NODE_THREAD, *t };
			size_t joins;

			nh_graph_out(g, n, NH_EDGE_JOINS, &joins);
			if (is_victim(c, *t) == victims && (victims || joins))
				draw(&pen, n);
		}
	for (size_t i = first; i < p->nodes.n; i++)
		for (int kind = 0; kind < NH_EDGE_KINDS; kind++)
			draw_edges(&pen, i, (enum nh_edge_kind)kind);
	nh_for(f, &c->verdict.findings)
		chain(p, f, host);
}

void nh_picture_chains(struct nh_picture *p, const struct nh_verdict *v, size_t host)
{
	nh_for(f, &v->findings)
		chain(p, f, host);
}
