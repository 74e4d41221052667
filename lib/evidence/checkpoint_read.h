/* One checkpoint being read.  Private to checkpoint*.c. */
#ifndef NH_EVIDENCE_CHECKPOINT_READ_H
#define NH_EVIDENCE_CHECKPOINT_READ_H

#include "evidence/checkpoint.h"
#include "evidence/tree.h"
#include "evidence/zip.h"

/* Bytes of a pickle in a checkpoint: tensors are not in it, only what describes them. */
#define NH_CKPT_PICKLE_MAX (64u << 20)

struct nh_ckpt {
	struct nh_arena *a;
	struct nh_checkpoint row;
	struct nh_tree tree;
	size_t looked; /* keys that were looked at */
};

/* Loads what torch.save wrote, of either format, into the tree; *buf, to be freed after the tree's
 * last use, holds its strings.  -ENOMSG: it is no such file; -ENODATA, -EBADMSG: it is cut or
 * damaged. */
int nh_ckpt_load(struct nh_ckpt *k, struct nh_span span, char **buf, struct nh_err *err);

/* Notes that a state was found (enum nh_presence), under which name. */
void nh_ckpt_mark(struct nh_ckpt *k, int state, int presence, const char *key, size_t n);
/* Marks what the keys of a state dict say; rng: it is the RNG's own. */
void nh_ckpt_keys(struct nh_ckpt *k, const struct nh_value *dict, bool rng);
/* Whether a loaded value holds anything. */
int nh_ckpt_presence(const struct nh_ckpt *k, const struct nh_value *v);
/* What is not known to be there is absent, unless the layout does not say. */
void nh_ckpt_settle(struct nh_ckpt *k);

void nh_ckpt_torn(struct nh_ckpt *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The directory at dirfd, called rel in messages, holds shards of torch.distributed.checkpoint;
 * metadata: also their .metadata. */
void nh_ckpt_dcp(struct nh_ckpt *k, int dirfd, const char *rel, bool metadata);

/* Fills mem_available and mem_room from this host's /proc and /sys. */
void nh_ckpt_host(struct nh_checkpoint *row);

#endif
