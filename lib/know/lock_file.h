/* Locks that are the mere existence of a file: who waits for one, and where such files are. */
#ifndef NH_KNOW_LOCK_FILE_H
#define NH_KNOW_LOCK_FILE_H

#include "model/stack.h"

/* Where to look for the file: a directory that a variable names, and under it so many levels of
 * directories of any name. */
struct nh_lock_place {
	const char *env;   /* the first of a user's places whose variable is set counts */
	const char *under; /* the directory below it: "/.cache/x", or "" */
	int levels;
};

/* A library that waits so. */
struct nh_lock_user {
	const char *frames;		    /* its waiting functions, see nh_frame_is_one_of */
	const char *what;		    /* "torch's FileBaton" */
	const char *file;		    /* the name of its lock files */
	const struct nh_lock_place *places; /* ends with env == NULL */
	const char *beside; /* next to the source of a caller: "build"; NULL = not there */
};

/* By a thread's stack, NULL where it waits for no such file. */
const struct nh_lock_user *nh_lock_user_of(const struct nh_stack *s);

#endif
