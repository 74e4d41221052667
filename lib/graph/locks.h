/* Locks on files as the rows of the case tell them, in words too. */
#ifndef NH_GRAPH_LOCKS_H
#define NH_GRAPH_LOCKS_H

#include "know/wait.h"
#include "model/index.h"

/* The row of the lock that the thread waits for, NULL if there is none. */
const struct nh_file_lock *nh_wanted_lock(const struct nh_index *ix, const struct nh_thread *t);
/* "flock on /x/lock", "POSIX lock on bytes 0 to 9 of /x/lock" */
const char *nh_name_lock(struct nh_arena *a, const struct nh_file_lock *l);
/* Who has it and from whom: "pid 7 (sleep)", "pid 7 (sleep), which has it from pid 5, now gone". */
const char *nh_lock_holder_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_file_lock *held);
/* What a thread waits for whose wait is for a lock on a file, with everybody who has it. */
const char *nh_lock_wait_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t);

/* The thread of that TID in another process that maps the memory t waits in, in the same pid
 * namespace; NULL if there is none. */
const struct nh_thread *nh_shared_owner(
	const struct nh_index *ix, const struct nh_thread *t, int64_t owner);
/* Where a thread's futex is that processes share, and who else maps that: " in /dev/shm/sem.x,
 * mapped by pid 7 (x) too"; "" where that was not read. */
const char *nh_shared_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t);

/* What a thread waits for in a call of System V or POSIX interprocess communication, NULL if that
 * is no such call. */
const char *nh_ipc_wait_words(struct nh_arena *a, const struct nh_index *ix,
	const struct nh_thread *t, const struct nh_wait *w);

#endif
