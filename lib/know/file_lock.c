#include "know/file_lock.h"

#include "base/str.h"

/* The kernel's include/uapi/asm-generic/fcntl.h: the commands that wait. */
enum { F_SETLKW_CMD = 7, F_OFD_SETLKW_CMD = 38 };

enum nh_file_lock_kind nh_file_lock_wanted(const struct nh_wait *w, const struct nh_thread *t)
{
	if (nh_streq(w->call, "flock"))
		return NH_LOCK_FLOCK;
	if (!nh_streq(w->call, "fcntl") || t->args.n < 2)
		return 0;
	return t->args.v[1] == F_SETLKW_CMD	  ? NH_LOCK_POSIX
	       : t->args.v[1] == F_OFD_SETLKW_CMD ? NH_LOCK_OFD
						  : 0;
}

const char *nh_file_lock_word(int kind)
{
	switch (kind) {
	case NH_LOCK_FLOCK:
		return "flock";
	case NH_LOCK_POSIX:
		return "POSIX lock";
	case NH_LOCK_OFD:
		return "open file description lock";
	case NH_LOCK_LEASE:
		return "lease";
	default:
		return "file lock";
	}
}

/* flock and ranges do not see each other; both kinds of ranges do. */
static bool by_range(int kind)
{
	return kind == NH_LOCK_POSIX || kind == NH_LOCK_OFD;
}

bool nh_file_lock_blocks(const struct nh_file_lock *held, const struct nh_file_lock *wanted)
{
	if (held->waiting || !wanted->waiting || held->inode != wanted->inode ||
		!nh_streq(held->device, wanted->device) || !(held->write || wanted->write) ||
		by_range(held->kind) != by_range(wanted->kind))
		return false;
	return (held->end == NH_UNKNOWN || held->end >= wanted->start) &&
	       (wanted->end == NH_UNKNOWN || wanted->end >= held->start);
}
