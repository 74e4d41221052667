#include "tap.h"
#include "verdict.h"

#include <stdlib.h>
#include "report/report.h"

static char *dot(const struct nh_case *merged, struct nh_case *const *cases, size_t n)
{
	struct nh_report_opts opts = { .width = 80 };
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);

	nh_report_dot(f, merged, cases, n, &opts);
	fclose(f);
	return buf;
}

static void futex(struct nh_case *c, int64_t tid, int64_t joined)
{
	struct nh_thread *t = nh_case_row(c, thread, threads);
	const uint64_t args[6] = { 0x7000, 0, (uint64_t)joined };

	t->sample = 2;
	t->pid = 4711;
	t->tid = t->nstid = tid;
	t->comm = "python3";
	t->nr = 202;
	t->futex_word = joined;
	for (int i = 0; i < 6; i++)
		*nh_push(c->arena, &t->args) = args[i];
}

/* Two threads that join each other, and a chain that says so. */
static void make_cycle(struct nh_case *c)
{
	struct nh_finding *f =
		nh_row_push(c->arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

	futex(c, 4801, 4802);
	futex(c, 4802, 4801);
	f->id = "lock-cycle";
	f->confidence = NH_CONFIRMED;
	link_row(c->arena, f, "thread 4801 (python3) of pid 4711", "joins",
		"thread 4802 (python3) of pid 4711", "", false);
	link_row(c->arena, f, "thread 4802 (python3) of pid 4711", "joins",
		"thread 4801 (python3) of pid 4711", "", false);
	c->verdict.status = NH_HANG;
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case *words = sample_case(&a, true), *cycle = sample_case(&a, false);
	struct nh_case *both[] = { words, cycle };
	char *s;

	/* A chain that no graph backs is drawn from its words, quotes and all. */
	words->verdict.findings.v[0].chain.v[0].from = "a \"b\" \\ \033";
	s = dot(words, &words, 1);
	ok(!strncmp(s, "digraph ncclhang {\n", 19));
	ok(strstr(s, "[label=\"a \\\"b\\\" \\\\ \\\\x1b\", color="));
	ok(strstr(s, "[label=\"fd 7 of process 4720\", style=filled"));
	ok(strstr(s, "label=\"connected to\", color=\"#c00000\", penwidth=2, style=dashed]"));
	ok(strstr(s, "2 processes with 2 threads"));
	free(s);

	make_cycle(cycle);
	s = dot(cycle, &cycle, 1);
	ok(strstr(s, "n0 -> n1 [label=\"joins\", color=\"#c00000\", penwidth=2]"));
	ok(strstr(s, "n1 -> n0 [label=\"joins\", color=\"#c00000\", penwidth=2]"));
	ok(strstr(s, "subgraph cluster_0_4711 {"));
	ok(strstr(s, "1 other thread: 1 in an unknown"));
	free(s);

	s = dot(cycle, both, 2);
	ok(strstr(s, "subgraph cluster_1_4711 {") && strstr(s, "subgraph cluster_0 {"));
	free(s);
	nh_arena_free(&a);
	return done();
}
