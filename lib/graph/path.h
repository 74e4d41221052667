/*
 * Patterns over the graph: a sequence of steps, each an edge kind and a condition on where it
 * leads.  A rule is such a pattern; where its walk ends early, the step says in words why not.
 */
#ifndef NH_GRAPH_PATH_H
#define NH_GRAPH_PATH_H

#include "graph/graph.h"

enum { NH_PATH_MAX = 32 }; /* edges of one path */

struct nh_path {
	const struct nh_thread *start;
	size_t n;
	const struct nh_edge *edge[NH_PATH_MAX];
};

struct nh_step {
	enum nh_edge_kind edge;
	bool repeat; /* one or more of these edges; the condition applies to the last */
	/* Whether the path so far, its last edge included, may go on; NULL = always. */
	bool (*accept)(const struct nh_graph *g, const struct nh_path *p);
	const char *missing;	 /* said where no path gets past this step */
	enum nh_edge_kind other; /* this kind of edge will do too; JOINS = no other */
	bool may_skip;		 /* a path may go on without it */
};

/* Called for each complete path, which is only valid meanwhile. */
typedef void nh_path_fn(void *ctx, const struct nh_path *p);

struct nh_pattern {
	/* Where a path may begin; NULL = at any thread. */
	bool (*begin)(const struct nh_graph *g, const struct nh_thread *t);
	const char *no_begin; /* said where no thread may */
	const struct nh_step *steps;
	size_t nsteps;
};

/*
 * Walks every path of the pattern.  What no path got past: NULL if there was a complete one, else
 * the words of the beginning or the step; *reached (may be NULL) = steps of the farthest path.
 */
const char *nh_path_walk(const struct nh_graph *g, const struct nh_pattern *pattern, nh_path_fn *fn,
	void *ctx, size_t *reached);

/* The node the path has come to. */
static inline struct nh_node nh_path_end(const struct nh_path *p)
{
	return p->n ? p->edge[p->n - 1]->to : (struct nh_node){ NH_NODE_THREAD, p->start };
}

/* The first edge of that kind, or NULL. */
const struct nh_edge *nh_path_edge(const struct nh_path *p, enum nh_edge_kind kind);

#endif
