/* The pickle reader's state, shared by its opcodes.  Private to pickle*.c. */
#ifndef NH_EVIDENCE_PICKLE_READER_H
#define NH_EVIDENCE_PICKLE_READER_H

#include <endian.h>
#include <errno.h>
#include <string.h>
#include "evidence/pickle.h"

struct nh_pickle {
	struct nh_tree *t;
	const char *start, *p, *end;
	struct nh_value *stack, *memo;	       /* the tree's */
	size_t n, cap, memos, memo_n;	       /* memos: slots in use; memo_n: MEMOIZE's next */
	size_t marks[NH_PICKLE_DEPTH_MAX + 1]; /* stack heights; marks[0] = the bottom */
	size_t depth;
	bool stopped, inert;
	const char *why; /* what is wrong, where an errno does not say it */
};

/* One opcode: NULL in op = it is refused. */
struct nh_pickle_op {
	const char *name;
	int (*op)(struct nh_pickle *r);
};

/* What comes before the reader's own opcodes where objects may be inert. */
extern const struct nh_pickle_op nh_pickle_inert[256];

/* The stack is full. */
int nh_pickle_grow(struct nh_pickle *r);

static inline int nh_pickle_wrong(struct nh_pickle *r, const char *why)
{
	r->why = why;
	return -EINVAL;
}

static inline int nh_pickle_push(struct nh_pickle *r, struct nh_value v)
{
	int rc = r->n < r->cap ? 0 : nh_pickle_grow(r);

	if (!rc)
		r->stack[r->n++] = v;
	return rc;
}

/* n more bytes are there. */
static inline bool nh_pickle_need(struct nh_pickle *r, size_t n)
{
	if ((size_t)(r->end - r->p) >= n)
		return true;
	r->why = "the file ends in the middle of it";
	return false;
}

/* n little-endian bytes, at most 8, that nh_pickle_need() has seen to be there. */
static inline uint64_t nh_pickle_take(struct nh_pickle *r, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, r->p, n);
	r->p += n;
	return le64toh(v);
}

/* pickle_scalar.c: opcodes that push one number, constant or string. */
int nh_pickle_none(struct nh_pickle *r);
int nh_pickle_true(struct nh_pickle *r);
int nh_pickle_false(struct nh_pickle *r);
int nh_pickle_binint1(struct nh_pickle *r);
int nh_pickle_binint2(struct nh_pickle *r);
int nh_pickle_binint(struct nh_pickle *r);
int nh_pickle_long1(struct nh_pickle *r);
int nh_pickle_long4(struct nh_pickle *r);
int nh_pickle_binfloat(struct nh_pickle *r);
int nh_pickle_short_binunicode(struct nh_pickle *r);
int nh_pickle_binunicode(struct nh_pickle *r);
int nh_pickle_binunicode8(struct nh_pickle *r);

/* pickle_container.c: opcodes that make and fill lists, tuples and dictionaries. */
int nh_pickle_empty_dict(struct nh_pickle *r);
int nh_pickle_empty_list(struct nh_pickle *r);
int nh_pickle_tuple1(struct nh_pickle *r);
int nh_pickle_tuple2(struct nh_pickle *r);
int nh_pickle_tuple3(struct nh_pickle *r);
int nh_pickle_tuple(struct nh_pickle *r);
int nh_pickle_appends(struct nh_pickle *r);
int nh_pickle_setitems(struct nh_pickle *r);
int nh_pickle_append(struct nh_pickle *r);
int nh_pickle_setitem(struct nh_pickle *r);

#endif
