/*
 * Pure parsers of procfs text: (buf, len) → struct.  None reads past len, none allocates except
 * where an arena is passed.  -EINVAL for what the kernel cannot have written.
 */
#ifndef NH_PROC_PARSE_H
#define NH_PROC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NH_COMM_MAX 64 /* kernel threads' names may exceed 16 */
#define NH_NS_DEPTH 33 /* the first pid namespace and the kernel's limit of 32 nested ones */

/* /proc/PID/stat; comm may hold spaces, parentheses and newlines: ended by the last ')'. */
struct nh_stat {
	int64_t pid, ppid, pgrp, session, flags, utime, stime, nthreads, start;
	int64_t exit_code; /* NH_UNKNOWN where it is not printed */
	char state;
	char comm[NH_COMM_MAX];
	size_t comm_len;
};
int nh_parse_stat(const char *buf, size_t len, struct nh_stat *ret);

/* /proc/PID/status; what a kernel does not print stays NH_UNKNOWN (n = 0 for nspid). */
struct nh_status_file {
	int64_t tgid, uid, tracer, vcsw, nvcsw, vmrss_kb;
	bool killed; /* SIGKILL is pending for the thread or for the process */
	int64_t nspid[NH_NS_DEPTH];
	size_t nnspid;
	uint64_t sigcgt; /* signals with a handler; 0 where not printed */
};
int nh_parse_status(const char *buf, size_t len, struct nh_status_file *ret);

/* /proc/PID/task/TID/syscall: "running", "-1 SP PC" or "NR ARG×6 SP PC". */
struct nh_syscall {
	bool running;
	int64_t nr; /* -1 = blocked outside a system call */
	uint64_t args[6], sp, pc;
};
int nh_parse_syscall(const char *buf, size_t len, struct nh_syscall *ret);

/* /proc/PID/maps, line by line. */
struct nh_map {
	uint64_t start, end, offset, inode;
	char perms[5];
	const char *path; /* into the buffer, not NUL-terminated; octal escapes left as they are */
	size_t path_len;  /* without a trailing " (deleted)" */
	bool deleted;
};
/* Starts at *pos = 0; 1 = *ret is the next line, 0 = end, -EINVAL = not a maps line. */
int nh_parse_map(const char *buf, size_t len, size_t *pos, struct nh_map *ret);

/* /proc/PID/mountinfo, line by line; texts are into the buffer, their octal escapes left. */
struct nh_text {
	const char *s;
	size_t n;
};
struct nh_mountinfo {
	int64_t id;
	struct nh_text root, point, fstype, source;
	struct nh_text options; /* of the file system: "rw,memory" */
};
/* Starts at *pos = 0; 1 = *ret is the next line, 0 = end, -EINVAL = not a mountinfo line. */
int nh_parse_mount(const char *buf, size_t len, size_t *pos, struct nh_mountinfo *ret);
/* Replaces the kernel's octal escapes (\040 for a blank) in place; the new length. */
size_t nh_unescape_octal(char *s, size_t n);

/* The path of a control group in /proc/PID/cgroup: of the v1 hierarchy with that controller, or of
 * v2 for "".  False if the process is in none. */
bool nh_parse_cgroup(const char *buf, size_t len, const char *controller, struct nh_text *ret);
/* A file of a control group, "KEY VALUE" a line: that key's value; NH_UNKNOWN without it.  Without
 * a key, the file's only value; "max" is NH_UNKNOWN. */
int64_t nh_parse_key_value(const char *buf, size_t len, const char *key);

/* A record of /dev/kmsg, "PRIORITY,NUMBER,MICROSECONDS,…;TEXT". */
struct nh_kmsg {
	int64_t at_us;
	struct nh_text text; /* its first line */
};
int nh_parse_kmsg(const char *buf, size_t len, struct nh_kmsg *ret);

/* /proc/PID/task/TID/stack, "[<0>] FUNCTION+0x12/0x80 [module]": the next function's name; 1, 0 at
 * the end; other lines are skipped. */
int nh_parse_kernel_frame(const char *buf, size_t len, size_t *pos, struct nh_text *ret);

/* What a /proc/PID/fd link names: kind is an enum nh_fd_kind, inode of "socket:[N]" and
 * "pipe:[N]", else NH_UNKNOWN. */
int nh_parse_fd_link(const char *link, size_t len, int64_t *inode);

/* /proc/PID/fdinfo/N: the octal open flags, the inode, the mount's number in mountinfo, "scm_fds:"
 * of unix sockets, an eventfd's number and counter, when a timerfd expires next (0 = not set);
 * NH_UNKNOWN if absent. */
struct nh_fdinfo {
	int64_t flags, mnt_id, ino, scm_fds, eventfd_id, eventfd_count, timer_ms;
};
int nh_parse_fdinfo(const char *buf, size_t len, struct nh_fdinfo *ret);
/* The "tfd:" rows of an epoll descriptor's fdinfo, from *pos = 0 on; 1, 0 at the end. */
int nh_parse_fdinfo_epoll(const char *buf, size_t len, size_t *pos, int64_t *fd, uint64_t *events);

/* A row of /proc/locks, or a "lock:" line of /proc/PID/fdinfo/N. */
struct nh_lock_row {
	int64_t number;
	int kind; /* enum nh_file_lock_kind */
	bool write, waiting;
	int64_t owner; /* -1: it belongs to an open file description */
	uint32_t major, minor;
	int64_t inode, start, end; /* end: NH_UNKNOWN = to the end of the file */
};
/* The next row from *pos = 0 on; 1 = row, 0 = end; what is no whole row is skipped. */
int nh_parse_lock(const char *buf, size_t len, size_t *pos, struct nh_lock_row *ret);

/* A socket address as the tables print it: hexadecimal in host byte order. */
struct nh_addr {
	uint8_t ip[16]; /* network order; IPv4 as ::ffff:a.b.c.d */
	uint16_t port;
};
/* From an address of n = 4 or 16 bytes in network order and a port in host order. */
void nh_addr_set(struct nh_addr *addr, const void *ip, size_t n, uint16_t port);
/* "10.0.0.1:80" for IPv4 and mapped IPv4, "[fe80::1]:80" else; returns buf. */
#define NH_ADDR_TEXT 64
char *nh_addr_text(const struct nh_addr *addr, char buf[NH_ADDR_TEXT]);

/* One row of /proc/PID/net/{tcp,tcp6,unix} or of sock_diag; NH_UNKNOWN where that has no such
 * number.  path is into the buffer, with '@' for every NUL, and NULL for an unbound socket. */
struct nh_sock_row {
	int family, state; /* enum nh_family, enum nh_tcp_state */
	int64_t inode, rx_queue, tx_queue, peer_inode, uid;
	struct nh_addr local, remote; /* tcp */
	const char *path;	      /* unix */
	size_t path_len;
};
/* The next row of a table of that family, from *pos = 0 on (the heading is skipped); 1 = row,
 * 0 = end; rows that are not whole are skipped. */
int nh_parse_sock_row(
	int family, const char *buf, size_t len, size_t *pos, struct nh_sock_row *ret);

#endif
