#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "graph/words.h"
#include "base/str.h"
#include "report/cells.h"
#include "report/picture.h"
#include "report/report.h"
#include "report/words.h"

#define NODES_MAX 80 /* more is no picture any more */
#define LABEL_CELLS 34
#define WAITS_SHOWN 3

struct pen {
	FILE *f;
	struct nh_arena *a;
	struct nh_picture pic;
	size_t n; /* cases */
};

/* A quoted string of the DOT language, broken into lines at blanks. */
static const char *quote(struct nh_arena *a, const char *s)
{
	char *text, *to;
	size_t at = 0;

	s = nh_escape(a, s);
	to = text = nh_new(a, char, strlen(s) * 2 + 3);
	*to++ = '"';
	for (; *s; s++) {
		at++;
		if (*s == ' ' && at + nh_cells(s + 1, strcspn(s + 1, " ")) > LABEL_CELLS) {
			to = stpcpy(to, "\\n");
			at = 0;
			continue;
		}
		if (*s == '"' || *s == '\\')
			*to++ = '\\';
		*to++ = *s;
	}
	*to = '"';
	return text;
}

static void node(struct pen *p, size_t i)
{
	const struct nh_drawn *d = &p->pic.nodes.v[i];
	bool object =
		d->node.row && d->node.kind != NH_NODE_THREAD && d->node.kind != NH_NODE_PROCESS;
	const char *style = d->culprit
				    ? ", style=filled, fillcolor=\"#ffd0d0\", color=\"#c00000\", "
				      "penwidth=2"
			    : d->chain ? ", color=\"#c00000\", penwidth=2"
				       : "";

	fprintf(p->f, "n%zu [label=%s%s%s];\n", i, quote(p->a, d->name),
		object ? ", shape=ellipse" : "", style);
	if (d->more)
		fprintf(p->f,
			"m%zu [label=\"%zu more\", style=dashed, color=gray50];\n"
			"n%zu -> m%zu [style=dotted, color=gray50];\n",
			i, d->more, i, i);
}

static bool is_drawn(const struct pen *p, size_t host, const struct nh_thread *t)
{
	nh_for(d, &p->pic.nodes)
		if (d->host == host && d->pid == t->pid && d->tid == t->tid)
			return true;
	return false;
}

static bool has_drawn(const struct pen *p, size_t host, int64_t pid)
{
	nh_for(d, &p->pic.nodes)
		if (d->host == host && d->pid == pid)
			return true;
	return false;
}

/* Threads that wait in the same thing. */
struct waiting {
	const char *words;
	size_t n;
};

static int by_size(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->words, y->words);
}

/* What the threads of a process do that are not drawn, in one box. */
static void idle(struct pen *p, size_t host, const struct nh_graph *g, int64_t pid)
{
	NH_VEC(struct waiting) groups = { 0 };
	size_t n, total = 0;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, pid, &n);
	const char *label;

	for (size_t i = 0; i < n; i++) {
		struct nh_wait w = nh_graph_wait(g, t[i]);
		const char *words = t[i]->running ? "running" : nh_wait_words(p->a, &w);
		struct waiting *found = NULL;

		if (is_drawn(p, host, t[i]))
			continue;
		total++;
		nh_for(old, &groups)
			if (!strcmp(old->words, words))
				found = old;
		found = found ? found : nh_push(p->a, &groups);
		found->words = words;
		found->n++;
	}
	if (!total)
		return;
	qsort(groups.v, groups.n, sizeof(*groups.v), by_size);
	label = nh_arena_printf(p->a, "%zu other thread%s:", total, total == 1 ? "" : "s");
	for (size_t i = 0; i < groups.n && i < WAITS_SHOWN; i++)
		label = nh_arena_printf(p->a, "%s%s %zu in %s", label, i ? "," : "", groups.v[i].n,
			groups.v[i].words);
	fprintf(p->f,
		"i%zu_%" PRId64 " [label=%s, style=dashed, color=gray50, fontcolor=gray30];\n",
		host, pid, quote(p->a, label));
}

/* A process around its threads; one of which nothing is drawn is only counted. */
static bool process(
	struct pen *p, size_t host, const struct nh_graph *g, const struct nh_process *pr)
{
	if (!has_drawn(p, host, pr->pid))
		return false;
	fprintf(p->f, "subgraph cluster_%zu_%" PRId64 " {\nlabel=%s; style=solid; color=gray50;\n",
		host, pr->pid, quote(p->a, nh_name_process(p->a, pr)));
	for (size_t i = 0; i < p->pic.nodes.n; i++)
		if (p->pic.nodes.v[i].host == host && p->pic.nodes.v[i].pid == pr->pid)
			node(p, i);
	idle(p, host, g, pr->pid);
	fputs("}\n", p->f);
	return true;
}

static void host(struct pen *p, size_t at, const struct nh_case *c, const struct nh_graph *g)
{
	size_t folded = 0, threads = 0, n;

	fprintf(p->f, "subgraph cluster_%zu {\nlabel=%s; color=gray80;\n", at,
		quote(p->a, c->host ? c->host : "this host"));
	nh_for(pr, &g->ix.processes) {
		if ((*pr)->why == NH_WHY_ANCESTOR || process(p, at, g, *pr))
			continue;
		nh_index_threads(&g->ix, (*pr)->pid, &n);
		folded++;
		threads += n;
	}
	if (folded)
		fprintf(p->f,
			"f%zu [label=\"%zu process%s with %zu thread%s\\nthat nobody drawn waits "
			"for\", style=dashed, color=gray50, fontcolor=gray30];\n",
			at, folded, folded == 1 ? "" : "es", threads, threads == 1 ? "" : "s");
	for (size_t i = 0; i < p->pic.nodes.n; i++)
		if (p->pic.nodes.v[i].host == at && p->pic.nodes.v[i].pid == NH_UNKNOWN)
			node(p, i);
	fputs("}\n", p->f);
}

static void arrows(struct pen *p)
{
	nh_for(a, &p->pic.arrows)
		fprintf(p->f, "n%zu -> n%zu [label=%s%s%s];\n", a->from, a->to,
			quote(p->a, a->label ? a->label : ""),
			a->chain ? ", color=\"#c00000\", penwidth=2" : ", color=gray40",
			a->inferred ? ", style=dashed" : "");
}

/* The findings that nh_merge did not merely copy: a copy shares its chain. */
static struct nh_verdict merged_only(
	struct nh_arena *a, const struct nh_case *merged, struct nh_case *const *cases, size_t n)
{
	struct nh_verdict v = { 0 };

	nh_for(f, &merged->verdict.findings) {
		bool copy = false;

		for (size_t i = 0; i < n; i++)
			nh_for(old, &cases[i]->verdict.findings)
				copy |= old->chain.v == f->chain.v;
		if (!copy)
			*nh_push(a, &v.findings) = *f;
	}
	return v;
}

static const char *title(struct nh_arena *a, const struct nh_verdict *v)
{
	const struct nh_finding *f = v->findings.v;

	if (!v->findings.n)
		return nh_status_names[v->status];
	return nh_arena_printf(a, "%s: %s (%s)", nh_status_names[v->status], f->id,
		nh_confidence_names[f->confidence]);
}

void nh_report_dot(FILE *f, const struct nh_case *merged, struct nh_case *const *cases, size_t n,
	const struct nh_report_opts *opts)
{
	struct nh_arena a = { 0 };
	struct pen p = { .f = f,
		.a = &a,
		.n = n,
		.pic = { .a = &a, .limit = opts->all ? SIZE_MAX : NODES_MAX } };
	struct nh_graph *g = nh_new(&a, struct nh_graph, n + 1);
	struct nh_verdict own = merged_only(&a, merged, cases, n);

	for (size_t i = 0; i < n; i++) {
		nh_graph_build(&a, cases[i], nh_last_sample(cases[i]), &g[i]);
		nh_picture_add(&p.pic, cases[i], i, &g[i]);
	}
	nh_picture_chains(&p.pic, &own, n);
	fprintf(f,
		"digraph ncclhang {\nlabel=%s; labelloc=t; fontname=\"Helvetica\"; compound=true;\n"
		"node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
		"edge [fontname=\"Helvetica\", fontsize=9];\n",
		quote(&a, title(&a, &merged->verdict)));
	for (size_t i = 0; i < n; i++)
		host(&p, i, cases[i], &g[i]);
	for (size_t i = 0; i < p.pic.nodes.n; i++)
		if (p.pic.nodes.v[i].host == n)
			node(&p, i);
	arrows(&p);
	fputs("}\n", f);
	nh_arena_free(&a);
}
