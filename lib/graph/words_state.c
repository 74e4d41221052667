#include "graph/words.h"

#include "graph/locks.h"
#include "base/str.h"
#include "know/file_lock.h"
#include "know/rwlock.h"
#include "know/sync.h"

/* The object by the stack, the readers of a lock by its memory: a futex alone says neither. */
static const char *futex_words(struct nh_arena *a, const struct nh_index *ix,
	const struct nh_thread *t, const struct nh_wait *w)
{
	struct nh_sync is =
		nh_sync_of(t->stack != NH_UNKNOWN ? nh_index_stack(ix, t->stack) : NULL);
	const char *bound = w->timeout_ms == -1 ? "no timeout" : "with a timeout";
	struct nh_rwlock rw;

	if (nh_rwlock_decode(t, &rw) && rw.readers)
		return nh_arena_printf(a,
			"read-write lock, %s: %jd reader%s it, who is not recorded", bound,
			(intmax_t)rw.readers, rw.readers == 1 ? " has" : "s have");
	return nh_arena_printf(a, "%s, %s%s%s%s", is.kind ? is.what : "futex", bound,
		nh_shared_words(a, ix, t), is.who ? ": " : "", is.who ? is.who : "");
}

/* What a thread waits in, with the kind of object where the descriptor tells it. */
const char *nh_state_words(struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(ix->c->machine, t);
	const struct nh_fd *fd;

	if (nh_streq(t->state, "Z") || nh_streq(t->state, "X"))
		return "ended";
	if (nh_streq(t->state, "D"))
		return t->wchan ? nh_arena_printf(a, "uninterruptible in the kernel (%s)", t->wchan)
				: "uninterruptible in the kernel";
	if (nh_streq(t->state, "T") || nh_streq(t->state, "t"))
		return nh_streq(t->state, "T") ? "stopped" : "stopped by a tracer";
	if (t->running)
		return "running";
	if (t->nr == NH_UNKNOWN)
		return "not known";
	if (!w.call)
		return nh_arena_printf(a, "system call %jd", (intmax_t)t->nr);
	if (w.kind == NH_WAIT_FUTEX)
		return futex_words(a, ix, t, &w);
	if (w.kind == NH_WAIT_EPOLL)
		return nh_arena_printf(a, "%s%s%s", nh_wait_words(a, &w), t->waits.n ? ": " : "",
			nh_set_words(a, ix, t));
	if (nh_file_lock_wanted(&w, t))
		return nh_lock_wait_words(a, ix, t);
	if (nh_ipc_wait_words(a, ix, t, &w))
		return nh_ipc_wait_words(a, ix, t, &w);
	fd = w.kind == NH_WAIT_READ || w.kind == NH_WAIT_WRITE || w.kind == NH_WAIT_ACCEPT
		     ? nh_index_fd(ix, t, w.fd)
		     : NULL;
	return fd ? nh_arena_printf(a, "%s on %s", nh_wait_words(a, &w), nh_fd_words(fd))
		  : nh_wait_words(a, &w);
}
