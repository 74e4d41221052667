#include "know/sync.h"

#include <string.h>
#include "base/str.h"

enum { DEPTH = 24 }; /* frames from the innermost one that belong to one wait */

/* What refines what: a caller says which of the C library's own locks it is, what is built of a
 * primitive is more than that. */
enum group {
	PLAIN,
	LIBC,	/* a lock of the C library, which one its caller says */
	CALLER, /* of those */
	BUILT,
};

#define OWNERS "its owner is not recorded"
static const struct nh_sync mutex = { NH_SYNC_LOCK, "mutex", NULL, NULL },
			    rwlock = { NH_SYNC_LOCK, "read-write lock", NULL, NULL },
			    cond = { NH_SYNC_WAKE, "condition variable",
				    "who signals it is not recorded", NULL },
			    sem = { NH_SYNC_WAKE, "semaphore", "who posts it is not recorded",
				    NULL },
			    barrier = { NH_SYNC_WAKE, "barrier",
				    "who has not arrived is not recorded", NULL },
			    join = { NH_SYNC_JOIN, "end of a thread", NULL, NULL },
			    once = { NH_SYNC_LOCK, "one-time initialization", OWNERS, NULL },
			    libc = { NH_SYNC_LOCK, "lock of the C library", OWNERS, NULL },
			    heap = { NH_SYNC_LOCK, "allocator's lock", OWNERS, NULL },
			    forking = { NH_SYNC_LOCK, "lock that fork takes", OWNERS, NULL },
			    loader = { NH_SYNC_LOCK, "loader's lock", OWNERS, NULL },
			    stream = { NH_SYNC_LOCK, "stream's lock", OWNERS, NULL },
			    python = { NH_SYNC_LOCK, "Python lock", OWNERS, NULL },
			    absl = { NH_SYNC_LOCK, "absl::Mutex", OWNERS, NULL },
			    rust = { NH_SYNC_LOCK, "Rust mutex", OWNERS, NULL },
			    openmp = { NH_SYNC_LOCK, "OpenMP lock", OWNERS, NULL };

/* Whole names, less leading underscores; those with part anywhere in the name. */
static const struct {
	const char *name;
	enum group group;
	bool part;
	const struct nh_sync *is;
} functions[] = {
	/* glibc's exports (nptl/Versions); musl has the same names. */
	{ "pthread_mutex_lock", PLAIN, false, &mutex },
	{ "pthread_mutex_timedlock", PLAIN, false, &mutex },
	{ "pthread_mutex_clocklock", PLAIN, false, &mutex },
	{ "pthread_rwlock_rdlock", PLAIN, false, &rwlock },
	{ "pthread_rwlock_wrlock", PLAIN, false, &rwlock },
	{ "pthread_cond_wait", PLAIN, false, &cond },
	{ "pthread_cond_timedwait", PLAIN, false, &cond },
	{ "pthread_cond_clockwait", PLAIN, false, &cond },
	{ "sem_wait", PLAIN, false, &sem },
	{ "new_sem_wait_slow64", PLAIN, false, &sem },
	{ "new_sem_wait_slow", PLAIN, false, &sem },
	{ "new_sem_wait", PLAIN, false, &sem },
	{ "sem_timedwait", PLAIN, false, &sem },
	{ "sem_clockwait", PLAIN, false, &sem },
	{ "pthread_barrier_wait", PLAIN, false, &barrier },
	{ "pthread_join", PLAIN, false, &join },
	{ "pthread_clockjoin_ex", PLAIN, false, &join },
	{ "pthread_once", PLAIN, false, &once },
	{ "pthread_once_slow", PLAIN, false, &once },
	{ "cxa_guard_acquire", PLAIN, false, &once },
	{ "lll_lock_wait_private", LIBC, false, &libc },
	{ "lll_lock_wait", LIBC, false, &libc },
	{ "malloc", CALLER, false, &heap },
	{ "libc_malloc", CALLER, false, &heap },
	{ "calloc", CALLER, false, &heap },
	{ "libc_calloc", CALLER, false, &heap },
	{ "realloc", CALLER, false, &heap },
	{ "libc_realloc", CALLER, false, &heap },
	{ "free", CALLER, false, &heap },
	{ "libc_free", CALLER, false, &heap },
	{ "cfree", CALLER, false, &heap },
	{ "posix_memalign", CALLER, false, &heap },
	{ "aligned_alloc", CALLER, false, &heap },
	{ "malloc_trim", CALLER, false, &heap },
	{ "fork", CALLER, false, &forking },
	{ "libc_fork", CALLER, false, &forking },
	{ "dlopen", CALLER, false, &loader },
	{ "dlclose", CALLER, false, &loader },
	{ "dlsym", CALLER, false, &loader },
	{ "dl_iterate_phdr", CALLER, false, &loader },
	{ "fflush", CALLER, false, &stream },
	{ "IO_fflush", CALLER, false, &stream },
	{ "printf", CALLER, false, &stream },
	{ "fprintf", CALLER, false, &stream },
	{ "vfprintf", CALLER, false, &stream },
	{ "puts", CALLER, false, &stream },
	{ "IO_puts", CALLER, false, &stream },
	{ "fputs", CALLER, false, &stream },
	{ "IO_fputs", CALLER, false, &stream },
	{ "fwrite", CALLER, false, &stream },
	{ "IO_fwrite", CALLER, false, &stream },
	{ "fclose", CALLER, false, &stream },
	{ "IO_fclose", CALLER, false, &stream },
	/* CPython: Python/thread_pthread.h, Python/lock.c. */
	{ "PyThread_acquire_lock_timed", BUILT, false, &python },
	{ "PyThread_acquire_lock", BUILT, false, &python },
	{ "PyMutex_LockTimed", BUILT, false, &python },
	{ "PyMutex_Lock", BUILT, false, &python },
	/* Others, most of which call futex themselves. */
	{ "Mutex::Lock", BUILT, true, &absl },
	{ "Mutex::ReaderLock", BUILT, true, &absl },
	{ "Mutex::lock_contended", BUILT, true, &rust },
	{ "RawMutex::lock_slow", BUILT, true, &rust },
	{ "kmp_acquire_", BUILT, true, &openmp },
	{ "gomp_mutex_lock_slow", BUILT, true, &openmp },
};

/* Libraries whose calls wait for threads of their own, which no child of a fork has. */
static const struct {
	const char *part, *pool;
} pools[] = {
	{ "rayon_core::", "rayon" },
	{ "tokio::runtime::", "tokio" },
	{ "gomp_", "OpenMP (libgomp)" },
	{ "GOMP_", "OpenMP (libgomp)" },
	{ "__kmp", "OpenMP (libomp)" },
	{ "tbb::", "TBB" },
	{ "grpc_core::", "gRPC" },
	{ "c10::ThreadPool", "PyTorch" },
	{ "blas_thread_", "OpenBLAS" },
	{ "exec_blas", "OpenBLAS" },
};

static bool is_whole(const char *func, const char *name)
{
	size_t n;

	/* The first letter first: this is asked of every frame for every row. */
	if (*func != *name)
		return false;
	n = strlen(name);
	/* A version may follow, parameters, or what the compiler made of it (.constprop.0). */
	return !strncmp(func, name, n) && (!func[n] || strchr("@(.", func[n]));
}

static bool in_libc(const struct nh_frame *f)
{
	return f->module &&
	       (nh_starts_with(f->module, "libc.so") || nh_starts_with(f->module, "libc-") ||
		       nh_starts_with(f->module, "libpthread") || nh_starts_with(f->module, "ld-"));
}

struct finding {
	const struct nh_sync *is;
	enum group group;
	bool inside; /* every frame so far is the C library's */
};

/* Whether a frame further out may say more than what was found. */
static bool refines(const struct finding *found, enum group group)
{
	if (group == CALLER)
		return found->is ? found->group == LIBC : found->inside;
	return !found->is || (group == BUILT && found->group != CALLER && found->group != BUILT);
}

static void look_at(struct finding *found, const char *func)
{
	const char *bare = func + strspn(func, "_");

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		bool is = functions[i].part ? strstr(func, functions[i].name) != NULL
					    : is_whole(bare, functions[i].name);

		if (!is || !refines(found, functions[i].group))
			continue;
		found->is = functions[i].is;
		found->group = functions[i].group;
		return;
	}
}

static const char *pool_of(const char *func)
{
	for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++)
		if (strstr(func, pools[i].part))
			return pools[i].pool;
	return NULL;
}

struct nh_sync nh_sync_of(const struct nh_stack *s)
{
	struct finding found = { .inside = true };
	struct nh_sync ret = { 0 };
	const char *pool = NULL;

	for (size_t i = 0; s && i < s->frames.n && i < DEPTH; i++) {
		const struct nh_frame *f = &s->frames.v[i];

		if (f->func && !f->nearest && !f->python) {
			look_at(&found, f->func);
			pool = pool ? pool : pool_of(f->func);
		}
		found.inside = found.inside && in_libc(f);
	}
	if (found.is)
		ret = *found.is;
	ret.pool = pool;
	return ret;
}
