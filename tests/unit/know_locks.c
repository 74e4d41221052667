/* What waits on a futex: read-write locks by the words in memory, the rest by the stack. */
#include "tap.h"

#include "know/lock.h"
#include "know/rwlock.h"
#include "know/sync.h"

/* A thread that waits on word `at` of these; ten words, the lock from the second on. */
static struct nh_thread waiting(struct nh_arena *a, const int64_t *words, int at, uint64_t val)
{
	struct nh_thread t;
	uint64_t args[6] = { 0x1000, 0x189, val, 0, 0, 0xffffffff };

	memset(&t, 0, sizeof(t));
	nh_row_init(&nh_thread_type, &t);
	t.nr = 202;
	for (int i = 0; i < 6; i++)
		*nh_push(a, &t.args) = args[i];
	for (int i = 0; i < NH_RWLOCK_READ; i++)
		*nh_push(a, &t.rwlock) = words[at - NH_RWLOCK_BEFORE + i];
	return t;
}

/* As glibc 2.36 leaves them: first what is in front of the lock, then its words. */
static void rwlocks(struct nh_arena *a)
{
	int64_t written[] = { 0x55, 0xb, 0, 3, 3, 0, 0, 0x44e7, 0, 0, 0 };
	int64_t read[] = { 0x55, 0xa, 0, 2, 3, 0, 0, 0, 0, 0, 0 };
	struct nh_rwlock rw;
	struct nh_lock lock;
	struct nh_thread t = waiting(a, written, 3, 3);

	ok(nh_rwlock_decode(&t, &rw) && rw.writer == 0x44e7 && !rw.readers && rw.addr == 0xff8);
	ok(nh_lock_decode(&t, &lock) && lock.owner == 0x44e7 && !lock.shared);
	is(lock.what, "read-write lock");
	t = waiting(a, written, 4, 3);
	ok(nh_rwlock_decode(&t, &rw) && rw.writer == 0x44e7 && rw.addr == 0xff4);
	t = waiting(a, read, 3, 2);
	ok(nh_rwlock_decode(&t, &rw) && rw.writer == NH_UNKNOWN && rw.readers == 1);
	ok(!nh_lock_decode(&t, &lock)); /* readers have no names */
	written[8] = 1;
	t = waiting(a, written, 3, 3);
	ok(nh_lock_decode(&t, &lock) && lock.shared);
	written[5] = 9;
	t = waiting(a, written, 3, 3);
	ok(!nh_rwlock_decode(&t, &rw)); /* no lock has anything there */
	written[5] = 0, written[1] = 9;
	t = waiting(a, written, 3, 3);
	ok(!nh_rwlock_decode(&t, &rw)); /* a writer, but not locked */
	t.rwlock.n = 0;
	ok(!nh_rwlock_decode(&t, &rw));
}

static struct nh_sync of(struct nh_arena *a, const char *const *names)
{
	struct nh_stack *s = nh_new(a, struct nh_stack, 1);

	for (; *names; names++) {
		struct nh_frame *f = nh_push(a, &s->frames);

		f->func = **names == '~' ? *names + 1 : *names;
		f->nearest = **names == '~';
		f->module = strstr(*names, "::") ? "app" : "libc.so.6";
	}
	return nh_sync_of(s);
}

#define OF(a, ...) of((a), (const char *const[]){ __VA_ARGS__, NULL })

static void stacks(struct nh_arena *a)
{
	struct nh_sync s =
		OF(a, "~__nss_database_lookup", "pthread_cond_wait@@GLIBC_2.3.2", "main");

	ok(s.kind == NH_SYNC_WAKE && s.who && !s.pool);
	is(s.what, "condition variable");
	s = OF(a, "__lll_lock_wait_private", "malloc", "main");
	ok(s.kind == NH_SYNC_LOCK);
	is(s.what, "allocator's lock");
	is(OF(a, "__lll_lock_wait_private", "main").what, "lock of the C library");
	is(OF(a, "~qsort", "malloc", "app::main").what, "allocator's lock");
	/* It called something else, and that waits. */
	ok(!OF(a, "app::wait", "malloc").kind);
	ok(!OF(a, "~malloc").kind);
	is(OF(a, "__new_sem_wait_slow64.constprop.0", "sem_wait", "PyThread_acquire_lock_timed")
			.what,
		"Python lock");
	is(OF(a, "absl::lts_2023::Mutex::LockSlow(absl::MuHow)", "main").what, "absl::Mutex");
	s = OF(a, "pthread_cond_wait", "rayon_core::registry::Registry::in_worker_cold");
	is(s.what, "condition variable");
	is(s.pool, "rayon");
	is(OF(a, "__new_sem_wait_slow64.constprop.0", "main").what, "semaphore");
	ok(!nh_sync_of(NULL).kind);
}

int main(void)
{
	struct nh_arena a = { 0 };

	rwlocks(&a);
	stacks(&a);
	nh_arena_free(&a);
	return done();
}
