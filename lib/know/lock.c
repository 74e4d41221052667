#include "know/lock.h"

#include "know/mutex.h"
#include "know/rwlock.h"

bool nh_lock_decode(const struct nh_thread *t, struct nh_lock *ret)
{
	struct nh_mutex m;
	struct nh_rwlock rw;

	if (nh_mutex_decode(t, &m)) {
		*ret = (struct nh_lock){ .what = m.robust      ? "robust mutex"
						 : m.recursive ? "recursive mutex"
							       : "mutex",
			.addr = t->args.n ? t->args.v[0] : 0,
			.owner = m.owner,
			.shared = m.shared };
		return true;
	}
	if (!nh_rwlock_decode(t, &rw) || rw.writer == NH_UNKNOWN)
		return false;
	*ret = (struct nh_lock){ "read-write lock", rw.addr, rw.writer, rw.shared };
	return true;
}
