/* glibc's pthread_rwlock_t in memory. */
#ifndef NH_KNOW_RWLOCK_H
#define NH_KNOW_RWLOCK_H

#include "know/wait.h"

/*
 * The 32-bit words of struct __pthread_rwlock_arch_t from glibc 2.25 on
 * (sysdeps/nptl/bits/struct_rwlock.h), the same on x86_64 and aarch64 up to the writer and the
 * sharing.  Waits are on the third or the fourth, so what is read begins that far before the futex
 * address.
 */
enum {
	NH_RWLOCK_READERS,
	NH_RWLOCK_WRITERS,
	NH_RWLOCK_WRPHASE, /* readers wait here while a writer has it, the first writer for readers
			    */
	NH_RWLOCK_QUEUE,   /* further writers wait here */
	NH_RWLOCK_PAD3,
	NH_RWLOCK_PAD4,
	NH_RWLOCK_WRITER,
	NH_RWLOCK_SHARED,
	NH_RWLOCK_WORDS,
	NH_RWLOCK_BEFORE = NH_RWLOCK_QUEUE, /* words read before the futex address */
	NH_RWLOCK_READ = NH_RWLOCK_BEFORE + NH_RWLOCK_WORDS - NH_RWLOCK_WRPHASE,
};

/* Whether a futex wait can be that of a read-write lock. */
bool nh_rwlock_is_wait(const struct nh_wait *w);

struct nh_rwlock {
	uint64_t addr;
	int64_t writer;	 /* TID of the owner in its own pid namespace; NH_UNKNOWN if readers have it
			  */
	int64_t readers; /* how many have it; who they are is not recorded */
	bool shared;	 /* between processes */
};

/* What the words around a thread's futex say; false where they are no held pthread_rwlock_t. */
bool nh_rwlock_decode(const struct nh_thread *t, struct nh_rwlock *ret);

#endif
