/*
 * What a thread that waits on a futex waits in, by the functions on its stack: the word in memory
 * says so only for locks with an owner.
 */
#ifndef NH_KNOW_SYNC_H
#define NH_KNOW_SYNC_H

#include <stdbool.h>
#include "model/stack.h"

enum nh_sync_kind {
	NH_SYNC_NONE,
	NH_SYNC_LOCK, /* whoever has it must be a thread, and gives it back */
	NH_SYNC_WAKE, /* somebody else has to signal, post or arrive */
	NH_SYNC_JOIN, /* a thread's end */
};

struct nh_sync {
	enum nh_sync_kind kind;
	const char *what; /* "mutex"; a constant */
	const char *who;  /* what is not recorded of it; NULL = its owner may be */
	const char *pool; /* of which library's threads it waits for work, or NULL */
};

/* s may be NULL.  Names that are only the nearest export do not count. */
struct nh_sync nh_sync_of(const struct nh_stack *s);

#endif
