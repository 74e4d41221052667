#include "graph/cuda.h"

#include "graph/silhouette.h"
#include "know/teardown.h"
#include "know/thread_roles.h"

/* Code that CUDA calls to wait: the C library, the kernel's pages, and what has no name at all. */
static bool is_below(const struct nh_frame *f)
{
	return !f->python && (!f->module || nh_frame_is_runtime(f));
}

struct nh_cuda_call nh_cuda_call_on(const struct nh_stack *s)
{
	struct nh_cuda_call ret = { NH_CUDA_NONE, NULL, false };

	for (size_t i = 0; i < s->frames.n; i++) {
		const struct nh_frame *f = &s->frames.v[i];
		enum nh_cuda_kind kind = nh_cuda_kind(f);

		ret.driver |= nh_frame_is_driver(f);
		if (kind != NH_CUDA_NONE)
			return (struct nh_cuda_call){ kind, f, ret.driver };
		if (!is_below(f) && !nh_frame_is_cuda(f))
			break;
	}
	return ret;
}

struct nh_cuda_call nh_cuda_call_of(const struct nh_graph *g, const struct nh_thread *t)
{
	size_t at;

	if (t->stack == NH_UNKNOWN || !nh_index_stack_at(&g->ix, t->stack, &at))
		return (struct nh_cuda_call){ NH_CUDA_NONE, NULL, false };
	return g->cuda_calls[at];
}
