/* File systems whose files somebody else serves: another host, or a process of this one. */
#ifndef NH_KNOW_FILESYSTEM_H
#define NH_KNOW_FILESYSTEM_H

#include "model/process.h"

struct nh_fs {
	const char *name;     /* for a person */
	const char *types[4]; /* as mountinfo prints them; "fuse." is the beginning of one */
	/* What its functions in the kernel begin with, leading underscores aside. */
	const char *functions[4];
	const char *server; /* who serves it, for a person */
};

/* By the type in mountinfo; NULL for a local one. */
const struct nh_fs *nh_fs_of_type(const char *fstype);
/* By the functions the thread is in, in the kernel. */
const struct nh_fs *nh_fs_of_thread(const struct nh_thread *t);
/* Whether that type of file system lies on a disk of this host. */
bool nh_fs_is_disk(const char *fstype);
/* Whether the thread waits, in the kernel, for the lock of an inode or of the like. */
bool nh_fs_wants_lock(const struct nh_thread *t);

#endif
