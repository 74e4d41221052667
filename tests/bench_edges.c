/*
 * What analysis of a stored case costs, part by part: every wait edge of its last sample, and the
 * whole verdict.  Medians of CPU time.  Usage: bench_edges CASE
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "analyse/analyse.h"
#include "graph/graph.h"
#include "case/intake.h"

enum { ROUNDS = 21 };

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct nh_arena a = { 0 };
	struct nh_intake *in = nh_intake_new(&a);
	struct nh_err err = { 0 };
	double edges[ROUNDS], verdict[ROUNDS];
	size_t threads = 0, found = 0;

	if (argc != 2 || nh_intake_file(in, argv[1], &err) || !nh_intake_count(in)) {
		fprintf(stderr, "bench_edges CASE: %s\n", err.msg);
		return EXIT_FAILURE;
	}
	nh_intake_finish(in);

	struct nh_case *c = nh_intake_case(in, 0);

	for (int i = 0; i < ROUNDS; i++) {
		struct nh_arena tmp = { 0 };
		struct nh_graph g;
		double began = now_ms();

		nh_graph_build(&tmp, c, c->samples.v[c->samples.n - 1].sample, &g);
		edges[i] = now_ms() - began;
		threads = g.ix.threads.n;
		found = g.edges.n;
		nh_arena_free(&tmp);
		began = now_ms();
		nh_analyse(c);
		verdict[i] = now_ms() - began;
	}
	qsort(edges, ROUNDS, sizeof(*edges), rising);
	qsort(verdict, ROUNDS, sizeof(*verdict), rising);
	printf("  %zu threads: %zu edges in %.2f ms, the verdict in %.1f ms CPU\n", threads, found,
		edges[ROUNDS / 2], verdict[ROUNDS / 2]);
	nh_arena_free(&a);
	return EXIT_SUCCESS;
}
