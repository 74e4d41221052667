/* glibc's pthread_mutex_t in memory. */
#ifndef NH_KNOW_MUTEX_H
#define NH_KNOW_MUTEX_H

#include "know/wait.h"

/* The words of struct __pthread_mutex_s that matter, in this order on x86_64 and aarch64 from glibc
 * 2.3 to 2.42 (sysdeps/nptl/bits/struct_mutex.h): 32 bits each, from the mutex's address on. */
enum {
	NH_MUTEX_LOCK,
	NH_MUTEX_COUNT,
	NH_MUTEX_OWNER,
	NH_MUTEX_NUSERS,
	NH_MUTEX_KIND,
	NH_MUTEX_WORDS
};

/*
 * Whether a futex wait can be that of a mutex: value 2 (locked, with waiters), or an owner's TID
 * with the waiters bit (robust and PI mutexes).
 */
bool nh_mutex_is_wait(const struct nh_wait *w);

struct nh_mutex {
	int64_t owner; /* TID in the owner's own pid namespace */
	bool shared;   /* between processes */
	bool recursive, robust;
};

/*
 * What the words say; false where they are no locked pthread_mutex_t: glibc's internal locks (of
 * malloc, of stdio) have other words there, and no owner.
 */
bool nh_mutex_decode(const struct nh_thread *t, struct nh_mutex *ret);

#endif
