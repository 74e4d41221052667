/* Locks on files: which system call wants one, and which lock is in the way of which. */
#ifndef NH_KNOW_FILE_LOCK_H
#define NH_KNOW_FILE_LOCK_H

#include "know/wait.h"
#include "model/lock.h"

/* The kind a blocked thread waits for, 0 if it waits for none. */
enum nh_file_lock_kind nh_file_lock_wanted(const struct nh_wait *w, const struct nh_thread *t);
/* "flock", "POSIX lock" … */
const char *nh_file_lock_word(int kind);
/* Whether a lock that is held keeps that wanted one waiting. */
bool nh_file_lock_blocks(const struct nh_file_lock *held, const struct nh_file_lock *wanted);

#endif
