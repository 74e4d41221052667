/*
 * What a rank does in a collective, by the functions on its stacks: which operation, and who has to
 * take part before it returns.
 * Sources: torch/distributed (distributed_c10d.py, c10d_logger.py, rendezvous.py, elastic/utils/
 * store.py) and c10d's C++ of 1.13 to 2.7; gloo; nccl.h; mpi.h; horovod/torch/mpi_ops.py; ucc.h;
 * the CUDA runtime and driver.  The shapes of Gloo and of the store were read with torch 1.13.
 */
#ifndef NH_KNOW_COLLECTIVE_H
#define NH_KNOW_COLLECTIVE_H

#include "model/stack.h"

/* Of several on one stack the last of these says most; from NH_COLL_WORK on the process waits for
 * another one. */
enum nh_coll_kind {
	NH_COLL_NONE,
	NH_COLL_SERVANT, /* runs what another thread of the process issued */
	NH_COLL_DEVICE,	 /* waits for a GPU, where a collective may be queued */
	NH_COLL_WORK,	 /* waits for an operation issued before; which one, its caller knows */
	NH_COLL_STORE,	 /* some rank has to connect to the store or to set a key of it */
	NH_COLL_PAIR,	 /* one other rank has to send or to receive */
	NH_COLL_ALL,	 /* every rank of the group has to come */
};

struct nh_coll {
	enum nh_coll_kind kind;
	const char *op; /* "all_reduce"; NULL where the function does not tell */
};

/* What a frame's function means; a nearest-export guess is no name. */
struct nh_coll nh_coll_of(const struct nh_frame *f);
/* Whether a Python frame is of torch or horovod themselves, not of the program that uses them. */
bool nh_coll_is_library(const struct nh_frame *f);

#endif
