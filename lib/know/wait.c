#include "know/wait.h"

#include <fcntl.h>
#include <string.h>
#include "base/str.h"

enum { NONE = -1 };

/* Argument numbers are 0-based; NONE where the call has no such argument or it is in memory. */
struct call {
	const char *name;
	enum nh_wait_kind kind;
	short x86_64, aarch64; /* system call numbers, NONE where the machine lacks it */
	signed char fd, nfds, timeout_ms;
	/* 1-based, 0 where it has none: its path, and the directory that one is relative to. */
	signed char path, dir;
};

/* Numbers: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
static const struct call calls[] = {
	{ "futex", NH_WAIT_FUTEX, 202, 98, NONE, NONE, NONE },
	{ "poll", NH_WAIT_POLL, 7, NONE, NONE, 1, 2 },
	{ "ppoll", NH_WAIT_POLL, 271, 73, NONE, 1, NONE },
	{ "select", NH_WAIT_SELECT, 23, NONE, NONE, 0, NONE },
	{ "pselect6", NH_WAIT_SELECT, 270, 72, NONE, 0, NONE },
	{ "epoll_wait", NH_WAIT_EPOLL, 232, NONE, 0, NONE, 3 },
	{ "epoll_pwait", NH_WAIT_EPOLL, 281, 22, 0, NONE, 3 },
	{ "epoll_pwait2", NH_WAIT_EPOLL, 441, 441, 0, NONE, NONE },
	{ "read", NH_WAIT_READ, 0, 63, 0, NONE, NONE },
	{ "readv", NH_WAIT_READ, 19, 65, 0, NONE, NONE },
	{ "recvfrom", NH_WAIT_READ, 45, 207, 0, NONE, NONE },
	{ "recvmsg", NH_WAIT_READ, 47, 212, 0, NONE, NONE },
	{ "recvmmsg", NH_WAIT_READ, 299, 243, 0, NONE, NONE },
	{ "write", NH_WAIT_WRITE, 1, 64, 0, NONE, NONE },
	{ "writev", NH_WAIT_WRITE, 20, 66, 0, NONE, NONE },
	{ "sendto", NH_WAIT_WRITE, 44, 206, 0, NONE, NONE },
	{ "sendmsg", NH_WAIT_WRITE, 46, 211, 0, NONE, NONE },
	{ "accept", NH_WAIT_ACCEPT, 43, 202, 0, NONE, NONE },
	{ "accept4", NH_WAIT_ACCEPT, 288, 242, 0, NONE, NONE },
	{ "connect", NH_WAIT_CONNECT, 42, 203, 0, NONE, NONE },
	{ "wait4", NH_WAIT_CHILD, 61, 260, NONE, NONE, NONE },
	{ "waitid", NH_WAIT_CHILD, 247, 95, NONE, NONE, NONE },
	{ "nanosleep", NH_WAIT_SLEEP, 35, 101, NONE, NONE, NONE },
	{ "clock_nanosleep", NH_WAIT_SLEEP, 230, 115, NONE, NONE, NONE },
	{ "pause", NH_WAIT_SIGNAL, 34, NONE, NONE, NONE, NONE },
	{ "rt_sigsuspend", NH_WAIT_SIGNAL, 130, 133, NONE, NONE, NONE },
	{ "rt_sigtimedwait", NH_WAIT_SIGNAL, 128, 137, NONE, NONE, NONE },
	{ "open", NH_WAIT_FILE, 2, NONE, NONE, NONE, NONE, 1, 0 },
	{ "creat", NH_WAIT_FILE, 85, NONE, NONE, NONE, NONE, 1, 0 },
	{ "openat", NH_WAIT_FILE, 257, 56, NONE, NONE, NONE, 2, 1 },
	{ "openat2", NH_WAIT_FILE, 437, 437, NONE, NONE, NONE, 2, 1 },
	{ "stat", NH_WAIT_FILE, 4, NONE, NONE, NONE, NONE, 1, 0 },
	{ "lstat", NH_WAIT_FILE, 6, NONE, NONE, NONE, NONE, 1, 0 },
	{ "fstat", NH_WAIT_FILE, 5, 80, 0, NONE, NONE },
	{ "newfstatat", NH_WAIT_FILE, 262, 79, NONE, NONE, NONE, 2, 1 },
	{ "statx", NH_WAIT_FILE, 332, 291, NONE, NONE, NONE, 2, 1 },
	{ "access", NH_WAIT_FILE, 21, NONE, NONE, NONE, NONE, 1, 0 },
	{ "faccessat", NH_WAIT_FILE, 269, 48, NONE, NONE, NONE, 2, 1 },
	{ "faccessat2", NH_WAIT_FILE, 439, 439, NONE, NONE, NONE, 2, 1 },
	{ "readlink", NH_WAIT_FILE, 89, NONE, NONE, NONE, NONE, 1, 0 },
	{ "readlinkat", NH_WAIT_FILE, 267, 78, NONE, NONE, NONE, 2, 1 },
	{ "unlink", NH_WAIT_FILE, 87, NONE, NONE, NONE, NONE, 1, 0 },
	{ "unlinkat", NH_WAIT_FILE, 263, 35, NONE, NONE, NONE, 2, 1 },
	{ "rmdir", NH_WAIT_FILE, 84, NONE, NONE, NONE, NONE, 1, 0 },
	{ "mkdir", NH_WAIT_FILE, 83, NONE, NONE, NONE, NONE, 1, 0 },
	{ "mkdirat", NH_WAIT_FILE, 258, 34, NONE, NONE, NONE, 2, 1 },
	{ "rename", NH_WAIT_FILE, 82, NONE, NONE, NONE, NONE, 1, 0 },
	{ "renameat", NH_WAIT_FILE, 264, 38, NONE, NONE, NONE, 2, 1 },
	{ "renameat2", NH_WAIT_FILE, 316, 276, NONE, NONE, NONE, 2, 1 },
	{ "link", NH_WAIT_FILE, 86, NONE, NONE, NONE, NONE, 1, 0 },
	{ "linkat", NH_WAIT_FILE, 265, 37, NONE, NONE, NONE, 2, 1 },
	{ "symlink", NH_WAIT_FILE, 88, NONE, NONE, NONE, NONE, 2, 0 },
	{ "symlinkat", NH_WAIT_FILE, 266, 36, NONE, NONE, NONE, 3, 2 },
	{ "chmod", NH_WAIT_FILE, 90, NONE, NONE, NONE, NONE, 1, 0 },
	{ "fchmodat", NH_WAIT_FILE, 268, 53, NONE, NONE, NONE, 2, 1 },
	{ "chown", NH_WAIT_FILE, 92, NONE, NONE, NONE, NONE, 1, 0 },
	{ "fchownat", NH_WAIT_FILE, 260, 54, NONE, NONE, NONE, 2, 1 },
	{ "utimensat", NH_WAIT_FILE, 280, 88, NONE, NONE, NONE, 2, 1 },
	{ "truncate", NH_WAIT_FILE, 76, 45, NONE, NONE, NONE, 1, 0 },
	{ "statfs", NH_WAIT_FILE, 137, 43, NONE, NONE, NONE, 1, 0 },
	{ "chdir", NH_WAIT_FILE, 80, 49, NONE, NONE, NONE, 1, 0 },
	{ "execve", NH_WAIT_FILE, 59, 221, NONE, NONE, NONE, 1, 0 },
	{ "execveat", NH_WAIT_FILE, 322, 281, NONE, NONE, NONE, 2, 1 },
	{ "getxattr", NH_WAIT_FILE, 191, 8, NONE, NONE, NONE, 1, 0 },
	{ "umount2", NH_WAIT_FILE, 166, 39, NONE, NONE, NONE, 1, 0 },
	{ "getdents", NH_WAIT_FILE, 78, NONE, 0, NONE, NONE },
	{ "getdents64", NH_WAIT_FILE, 217, 61, 0, NONE, NONE },
	{ "lseek", NH_WAIT_FILE, 8, 62, 0, NONE, NONE },
	{ "fsync", NH_WAIT_FILE, 74, 82, 0, NONE, NONE },
	{ "fdatasync", NH_WAIT_FILE, 75, 83, 0, NONE, NONE },
	{ "syncfs", NH_WAIT_FILE, 306, 267, 0, NONE, NONE },
	{ "sync_file_range", NH_WAIT_FILE, 277, 84, 0, NONE, NONE },
	{ "pread64", NH_WAIT_FILE, 17, 67, 0, NONE, NONE },
	{ "pwrite64", NH_WAIT_FILE, 18, 68, 0, NONE, NONE },
	{ "preadv", NH_WAIT_FILE, 295, 69, 0, NONE, NONE },
	{ "pwritev", NH_WAIT_FILE, 296, 70, 0, NONE, NONE },
	{ "preadv2", NH_WAIT_FILE, 327, 286, 0, NONE, NONE },
	{ "pwritev2", NH_WAIT_FILE, 328, 287, 0, NONE, NONE },
	{ "ftruncate", NH_WAIT_FILE, 77, 46, 0, NONE, NONE },
	{ "fallocate", NH_WAIT_FILE, 285, 47, 0, NONE, NONE },
	{ "fstatfs", NH_WAIT_FILE, 138, 44, 0, NONE, NONE },
	{ "fchdir", NH_WAIT_FILE, 81, 50, 0, NONE, NONE },
	{ "copy_file_range", NH_WAIT_FILE, 326, 285, 0, NONE, NONE },
	{ "fadvise64", NH_WAIT_FILE, 221, 223, 0, NONE, NONE },
	{ "mmap", NH_WAIT_FILE, 9, 222, 4, NONE, NONE },
	{ "close", NH_WAIT_FILE, 3, 57, NONE, NONE, NONE },
	{ "sync", NH_WAIT_FILE, 162, 81, NONE, NONE, NONE },
	{ "msync", NH_WAIT_FILE, 26, 227, NONE, NONE, NONE },
	{ "munmap", NH_WAIT_FILE, 11, 215, NONE, NONE, NONE },
	{ "flock", NH_WAIT_OTHER, 73, 32, 0, NONE, NONE },
	{ "fcntl", NH_WAIT_OTHER, 72, 25, 0, NONE, NONE },
	{ "ioctl", NH_WAIT_OTHER, 16, 29, 0, NONE, NONE },
	{ "semtimedop", NH_WAIT_OTHER, 220, 192, NONE, NONE, NONE },
	{ "semop", NH_WAIT_OTHER, 65, 193, NONE, NONE, NONE },
	{ "msgrcv", NH_WAIT_OTHER, 70, 188, NONE, NONE, NONE },
	{ "mq_timedreceive", NH_WAIT_OTHER, 243, 183, 0, NONE, NONE },
	{ "sched_yield", NH_WAIT_OTHER, 24, 124, NONE, NONE, NONE },
	{ "io_uring_enter", NH_WAIT_OTHER, 426, 426, 0, NONE, NONE },
	{ "io_getevents", NH_WAIT_OTHER, 208, 4, NONE, NONE, NONE },
	{ "vfork", NH_WAIT_OTHER, 58, NONE, NONE, NONE, NONE },
	{ "futex_waitv", NH_WAIT_OTHER, 449, 449, NONE, NONE, NONE },
};

/* After a signal or a ptrace stop a waiting call goes on as restart_syscall with the argument
 * registers as they were; the wait channel tells which call it was. */
static const struct {
	const char *wchan, *name;
} restarted[] = {
	{ "futex", "futex" },
	{ "do_sys_poll", "poll" },
	{ "poll_schedule_timeout", "poll" },
	{ "do_poll", "poll" },
	{ "hrtimer_nanosleep", "clock_nanosleep" },
	{ "do_nanosleep", "clock_nanosleep" },
};

enum { RESTART_X86_64 = 219, RESTART_AARCH64 = 128 };

static const struct call *find(const char *machine, int64_t nr, const char *wchan, bool *again)
{
	bool arm = nh_streq(machine, "aarch64");
	const char *name = NULL;

	*again = nr == (arm ? RESTART_AARCH64 : RESTART_X86_64);
	for (size_t i = 0; *again && wchan && i < sizeof(restarted) / sizeof(*restarted); i++)
		if (nh_starts_with(wchan, restarted[i].wchan))
			name = restarted[i].name;
	if (arm && nh_streq(name, "poll"))
		name = "ppoll";
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (*again ? nh_streq(calls[i].name, name)
			   : nr >= 0 && nr == (arm ? calls[i].aarch64 : calls[i].x86_64))
			return &calls[i];
	return NULL;
}

/* As in struct nh_wait: -1 = without bound. */
static int64_t timeout_of(const struct call *c, const struct nh_thread *t)
{
	const uint64_t *a = t->args.v;

	if (c->timeout_ms != NONE)
		return (int32_t)a[c->timeout_ms] < 0 ? -1 : (int32_t)a[c->timeout_ms];
	switch (c->kind) {
	case NH_WAIT_POLL:
		return a[2] ? t->timeout_ms : -1;
	case NH_WAIT_SELECT:
		return a[4] ? NH_UNKNOWN : -1;
	case NH_WAIT_EPOLL: /* epoll_pwait2 */
	case NH_WAIT_FUTEX:
		return a[3] ? NH_UNKNOWN : -1;
	default:
		/* Locks on files: the call has no timeout at all. */
		return nh_streq(c->name, "flock") || nh_streq(c->name, "fcntl") ? -1 : NH_UNKNOWN;
	}
}

struct nh_wait nh_wait_decode(const char *machine, const struct nh_thread *t)
{
	struct nh_wait w = { .fd = NH_UNKNOWN,
		.nfds = NH_UNKNOWN,
		.timeout_ms = NH_UNKNOWN,
		.futex_op = NH_UNKNOWN,
		.futex_val = NH_UNKNOWN,
		.child = NH_UNKNOWN,
		.dirfd = AT_FDCWD };

	if (t->running || t->nr == NH_UNKNOWN || t->args.n < 6)
		return w;

	const uint64_t *a = t->args.v;
	const struct call *c = find(machine, t->nr, t->wchan, &w.restarted);

	if (!c)
		return w;
	w.kind = c->kind;
	w.call = c->name;
	if (c->fd != NONE)
		w.fd = (int32_t)a[c->fd];
	if (c->nfds != NONE)
		w.nfds = (int64_t)(uint32_t)a[c->nfds];
	w.timeout_ms = timeout_of(c, t);
	if (c->kind == NH_WAIT_POLL || c->kind == NH_WAIT_FUTEX)
		w.addr = a[0];
	if (c->path)
		w.path = a[c->path - 1];
	if (c->dir)
		w.dirfd = (int32_t)a[c->dir - 1];
	/* wait4(pid > 0, …), waitid(P_PID = 1, pid, …) */
	if (nh_streq(c->name, "wait4") && (int32_t)a[0] > 0)
		w.child = (int32_t)a[0];
	if (nh_streq(c->name, "waitid") && a[0] == 1)
		w.child = (int32_t)a[1];
	if (c->kind == NH_WAIT_FUTEX) {
		w.futex_op = (int64_t)(a[1] & 0xfff);
		w.futex_val = (int64_t)(uint32_t)a[2];
	}
	return w;
}

bool nh_futex_is_join_form(int64_t op)
{
	enum { WAIT = 0, WAIT_BITSET = 9, PRIVATE = 128, CLOCK_REALTIME_FLAG = 256 };

	if (op == NH_UNKNOWN || (op & PRIVATE))
		return false;
	op &= ~(int64_t)CLOCK_REALTIME_FLAG;
	return op == WAIT || op == WAIT_BITSET;
}
