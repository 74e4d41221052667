/* What CUDA's functions do to the thread that calls them, by their names on a stack. */
#ifndef NH_KNOW_CUDA_H
#define NH_KNOW_CUDA_H

#include "model/stack.h"

enum nh_cuda_kind {
	NH_CUDA_NONE,
	NH_CUDA_SYNC,	/* waits until work on the GPU has ended: that is what it is for */
	NH_CUDA_COPY,	/* copies, and waits for the copy and what is before it in the stream */
	NH_CUDA_FREE,	/* gives memory back: may wait for the whole device */
	NH_CUDA_ALLOC,	/* takes memory: may wait for the whole device */
	NH_CUDA_MODULE, /* loads code, the first launch of a kernel too: may wait for the device */
	NH_CUDA_LAUNCH, /* puts a kernel or a graph into a stream: waits only if that is full */
	NH_CUDA_QUERY,	/* asks how far the GPU is, without waiting */
	NH_CUDA_KINDS,
};

/* The meaning of a frame's function; NONE for those the table does not have, and for a guess at an
 * unnamed one. Suffixes of versions and of the default stream's kind do not matter. */
enum nh_cuda_kind nh_cuda_kind(const struct nh_frame *f);
/* Waits for the GPU although that is not what it is for: free, allocate, load. */
bool nh_cuda_syncs_by_the_way(enum nh_cuda_kind kind);
/* Waits for the GPU because it was asked to: synchronise, copy. */
bool nh_cuda_syncs(enum nh_cuda_kind kind);
/* "waits for the GPU", "frees memory" … */
const char *nh_cuda_word(enum nh_cuda_kind kind);
/* Whether a frame is of the driver's library, where its locks are. */
bool nh_frame_is_driver(const struct nh_frame *f);

#endif
