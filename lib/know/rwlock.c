#include "know/rwlock.h"

enum {
	PID_MAX = 4 << 20, /* PID_MAX_LIMIT */
	THREADS_MAX = PID_MAX,
	/* nptl/pthread_rwlock_common.c: the flags in __readers, and in the two futex words. */
	WRPHASE = 1,
	WRLOCKED = 2,
	READER_SHIFT = 3,
	FUTEX_SET = 1,
	FUTEX_USED = 2,
};

bool nh_rwlock_is_wait(const struct nh_wait *w)
{
	enum { OP_MASK = 127, WAIT_BITSET = 9 };

	return w->kind == NH_WAIT_FUTEX && w->futex_op != NH_UNKNOWN &&
	       (w->futex_op & OP_MASK) == WAIT_BITSET &&
	       (w->futex_val == FUTEX_USED || w->futex_val == (FUTEX_USED | FUTEX_SET));
}

/* One of the two places a wait can be at; every word has to agree with a lock that is held. */
static bool decode_at(const int64_t *m, int waits_at, int64_t val, struct nh_rwlock *ret)
{
	int64_t flags = m[NH_RWLOCK_READERS] & ((1 << READER_SHIFT) - 1);

	*ret = (struct nh_rwlock){ .writer = NH_UNKNOWN,
		.readers = m[NH_RWLOCK_READERS] >> READER_SHIFT,
		.shared = m[NH_RWLOCK_SHARED] };
	if (m[waits_at] != val || m[NH_RWLOCK_PAD3] || m[NH_RWLOCK_PAD4] ||
		m[NH_RWLOCK_SHARED] > 1 || m[NH_RWLOCK_WRITERS] > THREADS_MAX ||
		ret->readers > THREADS_MAX || m[NH_RWLOCK_WRPHASE] > (FUTEX_USED | FUTEX_SET) ||
		m[NH_RWLOCK_QUEUE] > (FUTEX_USED | FUTEX_SET) || !(flags & WRLOCKED))
		return false;
	if (m[NH_RWLOCK_WRITER]) {
		/* Readers that wait are counted already, and do not have it. */
		ret->readers = 0;
		ret->writer = m[NH_RWLOCK_WRITER];
		return ret->writer <= PID_MAX && flags & WRPHASE;
	}
	return !(flags & WRPHASE) && ret->readers > 0;
}

bool nh_rwlock_decode(const struct nh_thread *t, struct nh_rwlock *ret)
{
	static const int places[] = { NH_RWLOCK_WRPHASE, NH_RWLOCK_QUEUE };

	if (t->rwlock.n != NH_RWLOCK_READ || t->args.n < 3)
		return false;
	for (int i = 0; i < 2; i++)
		if (decode_at(t->rwlock.v + NH_RWLOCK_BEFORE - places[i], places[i],
			    (int64_t)(uint32_t)t->args.v[2], ret)) {
			ret->addr = t->args.v[0] - 4 * (uint64_t)places[i];
			return true;
		}
	return false;
}
