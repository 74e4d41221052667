/* Locks on files, one row per sample. */
#ifndef NH_MODEL_LOCK_H
#define NH_MODEL_LOCK_H

#include "model/field.h"

enum nh_file_lock_kind {
	NH_LOCK_FLOCK = 1, /* flock(2): of an open file description, which forks share */
	NH_LOCK_POSIX,	   /* fcntl(2) F_SETLK: of a process */
	NH_LOCK_OFD,	   /* fcntl(2) F_OFD_SETLK: of an open file description, by range */
	NH_LOCK_LEASE,
	NH_LOCK_OTHER,
};

/*
 * A lock that a thread waits for, or that one waits for it because of.  Sources: /proc/locks;
 * /proc/PID/fdinfo/N for who has the open file description.
 */
struct nh_file_lock {
	int64_t sample;
	int64_t number; /* in /proc/locks, where waiters have the number of what they wait for */
	int kind;	/* enum nh_file_lock_kind */
	bool write;	/* exclusive */
	bool waiting;	/* wanted, not held */
	int64_t owner;	/* the process that asked for it, as the kernel says; it may have ended */
	int64_t inode;	/* of the file */
	const char *device; /* "fe:00", hexadecimal */
	int64_t start, end; /* bytes; end unknown = to the end of the file */
	/* Waiting: the thread and its descriptor.  Held: a process that has it, and the descriptor
	 * that shows it; unknown where none was found. */
	int64_t pid, tid, fd;
	const char *path;
};

/* A file whose existence is a lock, at a place where the library of a thread that waits for one has
 * them; in the last sample.  Source: statx without asking a server, /proc/PID/fd of all. */
struct nh_lock_file {
	int64_t pid, tid;    /* the thread that may wait for it */
	const char *library; /* that waits on its stack: "torch's FileBaton" */
	const char *path;
	int64_t inode;
	const char *device;	 /* "fe:00", hexadecimal */
	int64_t mtime_ms;	 /* last written, ms since the epoch */
	bool searched;		 /* every process was asked whether it has the file open */
	NH_VEC(int64_t) open_in; /* processes that have */
};

/* Memory that a thread waits in on a futex that processes share, in the last sample; and who else
 * of those that were read has the same file mapped.  Source: /proc/PID/maps. */
struct nh_shared_map {
	int64_t pid;
	int64_t tid;	  /* the thread that waits; unknown: the process merely maps it */
	int64_t inode;	  /* of the file; shared memory has one too */
	const char *path; /* "/dev/shm/sem.x", "/dev/zero" for memory without a name */
	bool deleted;
	int64_t offset; /* where in the file the futex is; of waits alone */
};

extern const struct nh_type nh_file_lock_type, nh_lock_file_type, nh_shared_map_type;

#endif
