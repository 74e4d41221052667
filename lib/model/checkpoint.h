/* Checkpoints of a training job, as rows: what a resume would find. */
#ifndef NH_MODEL_CHECKPOINT_H
#define NH_MODEL_CHECKPOINT_H

#include "model/field.h"

/* What a resume needs. */
enum nh_ckpt_state {
	NH_CKPT_MODEL,
	NH_CKPT_OPTIMIZER,
	NH_CKPT_SCHEDULER, /* of the learning rate */
	NH_CKPT_DATA,	   /* position in the data */
	NH_CKPT_RNG,	   /* of the CPU */
	NH_CKPT_CUDA_RNG,
	NH_CKPT_PROGRESS, /* step, iteration or epoch */
	NH_CKPT_STATES,
};

enum nh_presence {
	NH_ABSENT = 1,
	NH_PRESENT,
	NH_EMPTY, /* its key is there, with nothing in it: CUDA's generators of a run without GPUs
		   */
};

enum nh_ckpt_layout {
	NH_CKPT_TORCH_ZIP = 1, /* torch.save */
	NH_CKPT_TORCH_LEGACY,  /* torch.save before 1.6 */
	NH_CKPT_DCP,	       /* torch.distributed.checkpoint */
	NH_CKPT_HF,	       /* Hugging Face Trainer */
	NH_CKPT_ACCELERATE,
	NH_CKPT_LIGHTNING,
	NH_CKPT_DEEPSPEED,
	NH_CKPT_MEGATRON,
	NH_CKPT_LAYOUTS,
};

/* One checkpoint: a file, or a directory whose files belong together. */
struct nh_checkpoint {
	int layout; /* enum nh_ckpt_layout */
	union {	    /* enum nh_presence; 0 = unknown */
		struct {
			int model, optimizer, scheduler, data, rng, cuda_rng, progress;
		};
		int state[NH_CKPT_STATES];
	};
	int64_t step;		   /* as saved, or as the directory's name says */
	int64_t bytes;		   /* of everything in it */
	int64_t files;		   /* in it */
	int64_t ranks;		   /* that wrote shards */
	int64_t began_ms, done_ms; /* oldest and newest file, ms since the epoch */
	int64_t read_ms;	   /* when it was looked at */
	/* Of the host it was looked at on: MemAvailable, and what its control group leaves. */
	int64_t mem_available, mem_room;
	bool cuda;		    /* tensors in it were on a GPU when it was saved */
	NH_VEC(const char *) found; /* "optimizer: app.optim.state.weight.step" */
	NH_VEC(const char *) torn;  /* what is missing or cut; empty = nothing is */
	const char *source;	    /* the file or directory */
};

extern const struct nh_type nh_checkpoint_type;

#endif
