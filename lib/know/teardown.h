/* The silhouette of NCCL's teardown: what its functions mean when they are on a stack. */
#ifndef NH_KNOW_TEARDOWN_H
#define NH_KNOW_TEARDOWN_H

#include "model/stack.h"

enum nh_td_kind {
	NH_TD_NONE,
	NH_TD_ABORT, /* entry points: which teardown it is */
	NH_TD_DESTROY,
	NH_TD_FINALIZE,
	NH_TD_INNER,	/* inside it; the entry may be on another thread's stack */
	NH_TD_LAUNCH,	/* the caller waits for a job on another thread */
	NH_TD_JOB,	/* the other thread's root */
	NH_TD_SERVICE,	/* the proxy service thread's loop */
	NH_TD_PROGRESS, /* the proxy progress thread's loop */
	NH_TD_ACCEPT,	/* accepting and shaking hands with a connection */
	NH_TD_GRAPH,	/* waiting until CUDA graphs that captured the communicator are gone */
	NH_TD_INIT,	/* entry points of communicator init */
	NH_TD_ROOT,	/* the bootstrap root, which waits for every rank to check in */
	NH_TD_CALLER,	/* PyTorch's way into it */
	NH_TD_UNNAMED,	/* code of a separate libnccl whose name was stripped */
};

/* What a frame's function means; parameters, namespaces' arguments and a nearest-export guess of an
 * inner function do not count as a name. */
enum nh_td_kind nh_teardown_kind(const struct nh_frame *f);
/* Whether a frame is CUDA's: of its driver or runtime library, or one of their exports linked in.
 */
bool nh_frame_is_cuda(const struct nh_frame *f);
/* "abort", "destroy", "finalize" for the entry kinds. */
const char *nh_teardown_word(enum nh_td_kind kind);
/* The name without its parameter list and leading return type, copied into buf. */
const char *nh_frame_base(const struct nh_frame *f, char *buf, size_t size);

#endif
