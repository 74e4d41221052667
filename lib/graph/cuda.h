/* The CUDA call a thread is in, by its stack. */
#ifndef NH_GRAPH_CUDA_H
#define NH_GRAPH_CUDA_H

#include "graph/graph.h"
#include "know/cuda.h"

struct nh_cuda_call {
	enum nh_cuda_kind kind;	      /* NONE: in none that the table knows */
	const struct nh_frame *frame; /* of the function that gave the kind; NULL = none */
	bool driver;		      /* code of the driver's library runs in it */
};

/* The innermost call with a meaning; nothing but CUDA and the C library may be inside it. */
struct nh_cuda_call nh_cuda_call_on(const struct nh_stack *s);
/* The same of a thread's stack, from the graph. */
struct nh_cuda_call nh_cuda_call_of(const struct nh_graph *g, const struct nh_thread *t);

#endif
