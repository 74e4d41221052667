/* System calls that wait: what for, by which argument.  x86_64 and aarch64 in one table. */
#ifndef NH_KNOW_WAIT_H
#define NH_KNOW_WAIT_H

#include "model/process.h"

enum nh_wait_kind {
	NH_WAIT_UNKNOWN, /* not read, running, or a call that is not in the table */
	NH_WAIT_FUTEX,
	NH_WAIT_POLL,	/* poll, ppoll: a pollfd array in memory */
	NH_WAIT_SELECT, /* select, pselect6: bit sets in memory */
	NH_WAIT_EPOLL,
	NH_WAIT_READ, /* read, recv…: one descriptor, until data or end of file */
	NH_WAIT_WRITE,
	NH_WAIT_ACCEPT,
	NH_WAIT_CONNECT,
	NH_WAIT_CHILD,
	NH_WAIT_SLEEP,
	NH_WAIT_SIGNAL,
	NH_WAIT_FILE, /* file system calls: on a path, or on one descriptor */
	NH_WAIT_OTHER,
};

struct nh_wait {
	enum nh_wait_kind kind;
	const char *call;   /* "poll"; NULL where unknown */
	bool restarted;	    /* read as restart_syscall; the call was told from the wait channel */
	int64_t fd;	    /* the one descriptor, or the epoll descriptor; NH_UNKNOWN */
	uint64_t addr;	    /* futex word, or pollfd array; 0 */
	int64_t nfds;	    /* poll, select: number of slots; NH_UNKNOWN */
	int64_t timeout_ms; /* -1 = without bound; NH_UNKNOWN = not told by the arguments */
	int64_t futex_op;   /* NH_UNKNOWN unless futex */
	int64_t futex_val;
	int64_t child; /* wait4, waitid: the PID waited for, in the waiter's namespace; else
			  NH_UNKNOWN */
	uint64_t path; /* where the path is that the call works on; 0 = it takes none */
	int64_t dirfd; /* the directory it is relative to; AT_FDCWD = the working directory */
};

/* What a thread waits in, from its recorded system call.  machine as uname -m prints it. */
struct nh_wait nh_wait_decode(const char *machine, const struct nh_thread *t);

/* FUTEX_WAIT or FUTEX_WAIT_BITSET, shared (not FUTEX_PRIVATE_FLAG), any clock: the forms a join
 * takes (glibc waits on the kernel's CLONE_CHILD_CLEARTID wake-up, which is never private). */
bool nh_futex_is_join_form(int64_t op);

#endif
