#include "know/mutex.h"

enum {
	WAITERS = (int)0x80000000, /* FUTEX_WAITERS, FUTEX_TID_MASK: linux/futex.h */
	TID_MASK = 0x3fffffff,
	PID_MAX = 4 << 20, /* PID_MAX_LIMIT */
	LOCKED_WITH_WAITERS = 2,
	/* __kind: nptl/pthreadP.h.  Type in the low two bits, then flags. */
	TYPE_RECURSIVE = 1,
	FLAG_ROBUST = 16,
	FLAG_SHARED = 128,
	KIND_KNOWN = 3 | 16 | 32 | 64 | 128 | 256 | 512,
	NUSERS_MAX = 1 << 16,
};

bool nh_mutex_is_wait(const struct nh_wait *w)
{
	enum { OP_MASK = 127, WAIT = 0, LOCK_PI = 6, WAIT_BITSET = 9, LOCK_PI2 = 13 };
	int64_t op = w->futex_op & OP_MASK;

	if (w->kind != NH_WAIT_FUTEX || w->futex_op == NH_UNKNOWN)
		return false;
	if (op == LOCK_PI || op == LOCK_PI2)
		return true;
	return (op == WAIT || op == WAIT_BITSET) &&
	       (w->futex_val == LOCKED_WITH_WAITERS || (w->futex_val & (uint32_t)WAITERS));
}

bool nh_mutex_decode(const struct nh_thread *t, struct nh_mutex *ret)
{
	const int64_t *m = t->mutex.v;

	if (t->mutex.n != NH_MUTEX_WORDS)
		return false;
	*ret = (struct nh_mutex){ .owner = m[NH_MUTEX_OWNER],
		.shared = m[NH_MUTEX_KIND] & FLAG_SHARED,
		.recursive = (m[NH_MUTEX_KIND] & 3) == TYPE_RECURSIVE,
		.robust = m[NH_MUTEX_KIND] & FLAG_ROBUST };
	if (ret->owner <= 0 || ret->owner > PID_MAX || m[NH_MUTEX_KIND] & ~(int64_t)KIND_KNOWN ||
		m[NH_MUTEX_NUSERS] < 1 || m[NH_MUTEX_NUSERS] > NUSERS_MAX)
		return false;
	/* The lock word has to agree: contended, or the very owner. */
	return m[NH_MUTEX_LOCK] == LOCKED_WITH_WAITERS ||
	       (m[NH_MUTEX_LOCK] & TID_MASK) == ret->owner;
}
