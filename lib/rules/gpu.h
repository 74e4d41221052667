/* GPUs of the case: who uses which, and which one is gone. */
#ifndef NH_RULES_GPU_H
#define NH_RULES_GPU_H

#include "model/case.h"

/* A process of the last sample and what says that it uses a GPU. */
struct nh_gpu_user {
	const struct nh_process *p;
	bool driver;	   /* the driver lists it */
	const char *env;   /* its environment chooses that GPU: an inference.  NULL */
	const char *opens; /* the GPU's device file, which it has open.  NULL */
};

struct nh_gpu_users {
	struct nh_gpu_user *v;
	size_t n, cap;
};

/* Those that were not read for their parentage alone, by pid.  One whose environment chooses
 * another GPU may still have this one's file open: CUDA opens many; it is not among them. */
void nh_gpu_users_of(struct nh_arena *a, const struct nh_case *c, const struct nh_gpu *g,
	struct nh_gpu_users *ret);
/* "GPU 3 (NVIDIA H100, 00000000:4C:00.0)" */
const char *nh_gpu_name(struct nh_arena *a, const struct nh_gpu *g);

/*
 * Adds driver-stall where a GPU is lost or needs a reset and a process of the job uses it: at most
 * likely.  Where a finding of that id has that process already, the GPU becomes its evidence.
 */
void nh_gpu_analyse(struct nh_case *c);

#endif
