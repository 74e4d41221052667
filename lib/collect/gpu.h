/*
 * Asking for the state of the GPUs.  All of it happens in a process of its own, which loads what it
 * asks, may hang in the driver or crash, and is then given up.  What it learns it tells as lines of
 * a case: a row when it turns to a GPU, and the same row once more when it has been read.
 */
#ifndef NH_COLLECT_GPU_H
#define NH_COLLECT_GPU_H

#include "case/codec.h"

struct nh_gpu_teller {
	struct nh_case c; /* whose gpus are told next */
	struct nh_writer w;
};

/* Tells the rows of t->c.gpus, and empties them. */
void nh_gpu_tell(struct nh_gpu_teller *t);
/* A row that says why nothing is known. */
void nh_gpu_tell_error(struct nh_gpu_teller *t, const char *error);
/* The reasons of a throttle bit mask, by name. */
void nh_gpu_throttle(struct nh_arena *a, struct nh_gpu *g, uint64_t bits);
/* What is wrong, by NVML's words for it. */
void nh_gpu_trouble(struct nh_arena *a, struct nh_gpu *g, const char *words, size_t n);

/* gpu_nvml.c: 0, or -ENOENT if NVML cannot be loaded (a static program never can). */
int nh_gpu_ask_nvml(struct nh_gpu_teller *t);
/* gpu_smi.c: 0, or -ENOENT if there is no nvidia-smi. */
int nh_gpu_ask_smi(struct nh_gpu_teller *t);

#endif
