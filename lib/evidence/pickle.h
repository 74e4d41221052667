/*
 * A reader of pickles that executes nothing.  It knows the opcodes that build plain data (protocol
 * 2 to 5, as written by PyTorch's C++ pickler and by Python); every opcode that would import,
 * construct or call something is refused by name and place, or becomes an inert object.
 */
#ifndef NH_EVIDENCE_PICKLE_H
#define NH_EVIDENCE_PICKLE_H

#include "base/err.h"
#include "evidence/tree.h"

/* Bounds, past which a pickle is refused. */
#define NH_PICKLE_SIZE_MAX (512u << 20) /* bytes of the file */
#define NH_PICKLE_DEPTH_MAX 200		/* open MARKs */
#define NH_PICKLE_MEMO_MAX (16u << 20)	/* memo slots */

/* True if the bytes begin like a pickle of protocol 2 to 5. */
bool nh_pickle_is(const char *buf, size_t len);

/*
 * Reads the pickle at buf into ret->root (ret: the caller's word and take, and zeros or an earlier
 * tree, which is forgotten; free it with nh_tree_free in any case).  What follows the STOP opcode
 * is ignored.  0 or -EINVAL, -E2BIG, -ENOMEM with err saying what and at which byte.
 */
int nh_pickle_read(const char *buf, size_t len, struct nh_tree *ret, struct nh_err *err);

/* The same for pickles that need such opcodes: each becomes an NH_V_OBJECT or NH_V_CLASS.  *used:
 * the bytes up to and with STOP.  Integers of more than 64 bits and sets read as none. */
int nh_pickle_read_inert(
	const char *buf, size_t len, size_t *used, struct nh_tree *ret, struct nh_err *err);

#endif
