/* The part of the wait-for graph that is worth drawing: what a chain runs through or is joined. */
#ifndef NH_REPORT_PICTURE_H
#define NH_REPORT_PICTURE_H

#include "graph/graph.h"

/* A node that is drawn. */
struct nh_drawn {
	const char *name;    /* as nh_name_node gives it */
	size_t host;	     /* index of its case; == n for one of the merged verdict alone */
	int64_t pid;	     /* of a thread or process; NH_UNKNOWN */
	int64_t tid;	     /* of a thread; NH_UNKNOWN */
	struct nh_node node; /* row == NULL where only a chain names it */
	bool chain, culprit;
	size_t more; /* edges out of it that are not drawn */
};

struct nh_arrow {
	size_t from, to; /* nodes */
	const char *label;
	bool chain, inferred;
};

struct nh_picture {
	struct nh_arena *a;
	NH_VEC(struct nh_drawn) nodes;
	NH_VEC(struct nh_arrow) arrows;
	size_t limit; /* nodes at most */
};

/* Adds what one analysed case has to show; g is the graph of its last sample. */
void nh_picture_add(
	struct nh_picture *p, const struct nh_case *c, size_t host, const struct nh_graph *g);
/* Adds the chains of findings that no case has alone. */
void nh_picture_chains(struct nh_picture *p, const struct nh_verdict *v, size_t host);

#endif
