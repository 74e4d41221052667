/* Which keys and file names of a checkpoint mean which state; facts: PyTorch, Transformers,
 * Accelerate, Lightning, DeepSpeed and Megatron-LM sources. */
#ifndef NH_KNOW_CHECKPOINT_H
#define NH_KNOW_CHECKPOINT_H

#include <stddef.h>
#include "model/checkpoint.h"

/* The state a key of a state dict names ("optimizer_state_dict"), -1 for none. */
int nh_ckpt_key(const char *key, size_t n);

/* A file or subdirectory of a checkpoint directory. */
struct nh_ckpt_name {
	const char *pattern; /* for fnmatch(3) */
	int layout;	     /* which layout it proves, 0 = several have it */
	int state;	     /* which state it holds, -1 = none */
	bool keys;	     /* a torch.save file: its keys say what else it holds */
	bool within;	     /* a subdirectory that belongs to the checkpoint */
};

/* The row for a name, NULL = it says nothing. */
const struct nh_ckpt_name *nh_ckpt_name(const char *name);

/* The keys that prove a layout in a file; 0 = none. */
int nh_ckpt_layout_of_key(const char *key, size_t n);

/* True if a layout does not say whether a state that was not found is there. */
bool nh_ckpt_untold(int layout, enum nh_ckpt_state state);

/* "optimizer", "position in the data" … and "torch.distributed.checkpoint" … */
const char *nh_ckpt_state_words(enum nh_ckpt_state state);
const char *nh_ckpt_layout_words(int layout);

/* A file beside checkpoints that names the last one. */
struct nh_ckpt_marker {
	const char *file;
	bool number; /* it holds an iteration, whose directory is iter_%07d; else a name */
	int layout;
};
extern const struct nh_ckpt_marker nh_ckpt_markers[]; /* ends with file == NULL */
bool nh_ckpt_is_marker(const char *name);

#endif
