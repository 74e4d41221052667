/*
 * Checkpoints → rows of a case.  Files are read only where they tell something (the central
 * directory, data.pkl, .metadata), their pickles by the reader that makes objects inert.
 */
#ifndef NH_EVIDENCE_CHECKPOINT_H
#define NH_EVIDENCE_CHECKPOINT_H

#include "base/err.h"
#include "model/case.h"

/* True if the first bytes of a file are those of a file that torch.save wrote. */
bool nh_checkpoint_is(const char *buf, size_t len);
/* True if the directory's own entries are those of a checkpoint, or if a file in it should name one
 * that is not there. */
bool nh_checkpoint_is_dir(const char *path);

/*
 * Adds one checkpoint's row to the case.  What is torn is said in the row; 0 then too.  A negative
 * errno with err naming file, place and reason where it is no checkpoint or cannot be read.  1: a
 * directory that only names a checkpoint, so that what is below it is still to be looked at.
 */
int nh_checkpoint_file(struct nh_case *c, const char *name, int fd, struct nh_err *err);
int nh_checkpoint_dir(struct nh_case *c, const char *path, struct nh_err *err);

#endif
