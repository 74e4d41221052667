/* What the stacks of a process say of its NCCL teardown; next to the graph, never instead of it. */
#ifndef NH_GRAPH_SILHOUETTE_H
#define NH_GRAPH_SILHOUETTE_H

#include "graph/graph.h"
#include "know/teardown.h"

struct nh_silhouette {
	enum nh_td_kind entry;		/* ABORT, DESTROY, FINALIZE, or NONE: not seen */
	const struct nh_thread *caller; /* whose stack has the entry; may be another thread */
	const char *frames;		/* "pthread_join < commFree < … < ncclCommAbort"; NULL */
	int64_t unnamed, total;		/* frames of the thread without a name, and all of them */
};

/* NULL where a thread's stack was not taken. */
const struct nh_stack *nh_stack_of(const struct nh_graph *g, const struct nh_thread *t);
/* The teardown a thread is in: by its own stack, else (it is a job's thread) by the one that
 * launched the job. */
struct nh_silhouette nh_silhouette_of(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t);
/* The names of a stack, innermost first, from frame `from` to `to`, " < " between them. */
const char *nh_stack_words(struct nh_arena *a, const struct nh_stack *s, size_t from, size_t to);

#endif
