/* Processes, threads, descriptors, modules: what procfs says of them, one row per sample. */
#ifndef NH_MODEL_PROCESS_H
#define NH_MODEL_PROCESS_H

#include "model/field.h"

/* Why a process is in the case. */
enum nh_why {
	NH_WHY_TARGET = 1, /* named on the command line */
	NH_WHY_FOUND,	   /* found by the host-wide search for training processes */
	NH_WHY_DESCENDANT, /* of one of those */
	NH_WHY_HOLDER,	   /* holds the other end of what one of those waits for */
	NH_WHY_ANCESTOR,   /* of one of those: identity only, nothing else was read */
};

/* Identity is (pid, start).  Sources: /proc/PID/{stat,status,cmdline,environ,exe,cgroup,ns/}. */
struct nh_process {
	int64_t sample; /* 1 or 2 */
	int64_t pid;
	int64_t start; /* clock ticks after boot, stat field 22 */
	int64_t ppid, pgrp, session;
	int64_t uid;	  /* real uid */
	int64_t tracer;	  /* TracerPid, 0 = none */
	int64_t nthreads; /* threads the kernel counts */
	int64_t nfds;	  /* open descriptors of its main table */
	int64_t bits;	  /* 32 or 64, of the executable */
	int64_t flags;	  /* PF_* of stat field 9 */
	uint64_t caught;  /* signals with a handler, bit 0 = signal 1; of status: SigCgt */
	int64_t ns_pid, ns_net, ns_mnt; /* inode numbers of its namespaces */
	NH_VEC(int64_t) nspid; /* NSpid: outermost first; more than one = in a pid namespace */
	int64_t exit_code;     /* of a zombie, as wait() tells it; stat field 52 */
	int why;	       /* enum nh_why */
	bool killed;	       /* SIGKILL is pending: it was killed and has not ended */
	bool kthread;
	bool exe_deleted;
	bool cmdline_cut;  /* longer than kept */
	const char *state; /* one letter of stat field 3, of the leader */
	const char *comm;
	const char *cmdline; /* arguments joined by spaces, token-like values masked */
	const char *exe;
	const char *cgroup;			    /* of the unified hierarchy */
	const char *cgroup_freezer, *cgroup_memory; /* of the v1 hierarchies */
	NH_VEC(const char *) env;		    /* "NAME=value", allow-listed names only */
};

/* One slot of a poll set. */
struct nh_pollfd {
	int64_t slot, fd, events;
};

/* Sources: /proc/PID/task/TID/{comm,stat,status,wchan,syscall,stack}, /proc/PID/mountinfo, memory
 * of the process. */
struct nh_thread {
	int64_t sample, pid, tid;
	int64_t nstid; /* TID in the thread's own pid namespace (last NSpid) */
	int64_t start; /* clock ticks after boot */
	int64_t nr;    /* system call number of the case's machine; -1 = blocked outside one */
	int64_t utime, stime; /* CPU time, clock ticks */
	int64_t vcsw, nvcsw;  /* voluntary and forced context switches */
	uint64_t sp, pc;      /* user registers while blocked */
	int64_t futex_word;   /* 32-bit word at the futex address, read while the thread waited */
	int64_t timeout_ms;   /* poll family: timeout; -1 = none.  Read from memory for ppoll */
	bool running;	      /* the syscall file said so */
	bool own_fds;	      /* its descriptor table is not the leader's */
	int64_t stack;	      /* number of its stack; NH_UNKNOWN = not taken */
	bool stopped;	      /* it was stopped for a moment to copy that stack */
	const char *no_stack; /* why there is none */
	const char *state, *comm, *wchan;
	/* The functions it is in, in the kernel, innermost first.  Taken where it is in state D or
	 * in a call on a file; needs CAP_SYS_ADMIN. */
	NH_VEC(const char *) kernel;
	const char *path; /* the path its call works on, made absolute, symlinks not followed */
	const char *fstype, *mount, *source; /* of the file system that path lies on */
	NH_VEC(uint64_t) args;		     /* six system call arguments */
	/* Waiting for what may be a pthread_mutex_t: its first words (know/mutex.h), else empty. */
	NH_VEC(int64_t) mutex;
	/* Waiting for what may be a pthread_rwlock_t: the words around the futex address
	 * (know/rwlock.h), else empty. */
	NH_VEC(int64_t) rwlock;
	/* The descriptors it waits on: open slots of a poll set (fd >= 0), the one descriptor of a
	 * read, or the interest list of an epoll descriptor (slot = position). */
	NH_VEC(struct nh_pollfd) waits;
};

enum nh_fd_kind {
	NH_FD_SOCKET = 1,
	NH_FD_PIPE,
	NH_FD_FILE,
	NH_FD_ANON,
	NH_FD_OTHER,
	NH_FD_CLOSED,  /* a thread waits on this number, but its table has no such descriptor */
	NH_FD_OPENING, /* no descriptor yet: thread tid is blocked opening this FIFO */
};

/*
 * One descriptor.  Source: readlink and lstat of /proc/PID/fd/N (task/TID/fd/N for own tables).  Of
 * those that somebody waits on, and of the ends of a pipe or a unix socket that is searched, also
 * /proc/PID/fdinfo/N and mountinfo, and, of files, statx: a named FIFO is a pipe with a path and a
 * device.
 */
struct nh_fd {
	int64_t sample, pid;
	int64_t tid; /* set where the table belongs to this thread alone */
	int64_t fd;
	int kind;	  /* enum nh_fd_kind */
	int64_t inode;	  /* sockets, pipes */
	int64_t dev;	  /* of a named FIFO: its file system's device, major << 20 | minor */
	int64_t flags;	  /* open(2) flags, where read */
	int64_t id;	  /* eventfd-id: the same in every process */
	int64_t count;	  /* eventfd-count */
	int64_t timer_ms; /* timerfd: until it expires; 0 = not set */
	int64_t scm_fds;  /* unix sockets: descriptors in flight in its queue, where asked */
	const char *mode; /* "r", "w", "rw": the link's own permission bits */
	const char *path; /* files; anon_inode name */
	/* Of the file system a file lies on, where a thread's call works on it. */
	const char *fstype, *mount, *source;
};

enum nh_nccl_from {
	NH_NCCL_FROM_CODE = 1, /* the constant in ncclGetVersion */
	NH_NCCL_FROM_STRING,   /* "NCCL version …+cuda…" in .rodata */
	NH_NCCL_FROM_NAME,     /* the file's name */
};

enum nh_yes_no { NH_NO = 1, NH_YES };

/* One mapped ELF file.  Source: /proc/PID/maps, the file's NT_GNU_BUILD_ID note. */
struct nh_module {
	int64_t pid, inode;
	uint64_t base, end;
	bool deleted;
	const char *path, *build_id;
	/* Of a file that is an NCCL or has one linked in. */
	const char *nccl;      /* its version, "2.17.1" */
	const char *nccl_cuda; /* "12.1", the CUDA it was built for */
	int nccl_from;	       /* enum nh_nccl_from */
	int imports_shutdown;  /* enum nh_yes_no: whether its .dynsym has shutdown undefined */
};

extern const struct nh_type nh_process_type, nh_thread_type, nh_fd_type, nh_module_type,
	nh_pollfd_type;

#endif
