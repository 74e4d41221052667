/* A lock that a thread waits for, of whichever kind, and who has it. */
#ifndef NH_KNOW_LOCK_H
#define NH_KNOW_LOCK_H

#include "model/process.h"

struct nh_lock {
	const char *what; /* "robust mutex", "read-write lock" */
	uint64_t addr;
	int64_t owner; /* TID in the owner's own pid namespace */
	bool shared;   /* between processes */
};

/* False where the thread waits for no lock whose memory names an owner. */
bool nh_lock_decode(const struct nh_thread *t, struct nh_lock *ret);

#endif
