/*
 * Reading procfs files relative to a directory descriptor, so that a process directory opened once
 * stays bound to that process (a reused PID gives ESRCH) and a recorded tree reads like /proc.
 */
#ifndef NH_PROC_READ_H
#define NH_PROC_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"

/* Opens a directory (O_PATH-free, for openat and readdir); a descriptor or a negative errno. */
int nh_dir_open(int at, const char *path);
/* Opens a file for reading, without waiting if it is a FIFO; a descriptor or a negative errno. */
int nh_file_open(int at, const char *path);
/* Reads a file in one open/read/close into buf, NUL-terminated; at most cap-1 bytes, the rest of
 * the file is not read.  Bytes read or a negative errno. */
ssize_t nh_read_small(int at, const char *path, char *buf, size_t cap);
/* Reads a file to its end into arena memory, NUL-terminated; stops at max bytes (then *cut is 1,
 * cut may be NULL).  Bytes read or a negative errno. */
ssize_t nh_read_whole(
	struct nh_arena *a, int at, const char *path, size_t max, char **ret, int *cut);
/* readlinkat into buf, NUL-terminated.  Length or a negative errno (-ENAMETOOLONG if cut). */
ssize_t nh_read_link(int at, const char *path, char *buf, size_t cap);
/* The inode number in a namespace link such as "net:[4026531840]", or a negative errno. */
int64_t nh_read_ns(int at, const char *path);

/*
 * Calls fn for every entry of the directory whose name is a decimal number, in the kernel's order,
 * by getdents64 straight into a large buffer.  fn returning non-zero stops the walk and is
 * returned.  0 or a negative errno.
 */
int nh_each_number(
	int at, const char *path, int (*fn)(void *ctx, int dirfd, int64_t number), void *ctx);

#endif
