/* The worker's state; shared by the files of this folder only. */
#ifndef NH_COLLECT_INTERNAL_H
#define NH_COLLECT_INTERNAL_H

#include <limits.h>
#include "base/set.h"
#include "case/codec.h"
#include "collect/collect.h"
#include "collect/mark.h"
#include "proc/mem.h"
#include "proc/parse.h"

/* One process of the host, from its stat file. */
struct nh_entry {
	int64_t pid, ppid, start, nthreads, flags;
	char state;
};

/* A socket, pipe or file some process was met holding. */
struct nh_met {
	int64_t inode; /* of a file: nh_name_key of its path, it may be a FIFO */
	int64_t pid, own_tid;
	int32_t fd, kind;
};

/* A mount of a process's mount namespace. */
struct nh_mount {
	int64_t id;
	const char *point, *fstype, *source;
};

/* A process that is read in full. */
struct nh_subject {
	int64_t pid, start;
	int why;	  /* enum nh_why */
	int dir;	  /* /proc/PID, open: bound to this very process */
	int64_t live_tid; /* pid, or that TID */
	int live; /* where its memory and descriptors are read: dir, or /proc/TID under a zombie
		     leader */
	int64_t netns;
	int64_t nccl;	 /* version of an NCCL that it maps; NH_UNKNOWN */
	bool ended;	 /* it ended while it was read */
	int64_t read_in; /* the last sample in which it was read */
	/* Its mounts, where a thread's call on a file asked for them; and in which sample. */
	NH_VEC(struct nh_mount) mounts;
	int64_t mounts_in;
};

/* A named FIFO that somebody waits on: its holders are wanted. */
struct nh_fifo {
	int64_t dev, inode, name; /* name: nh_name_key of its path */
};

struct nh_collector {
	struct nh_arena *a;
	const struct nh_collect_opts *o;
	struct nh_case *c; /* holds the tables of the present sample */
	struct nh_mark *mark;
	int root; /* /proc or the recorded tree */
	bool recorded;
	int64_t sample;
	int64_t began_ms;
	/* On nh_now_ms's clock: when this sample gives up what is not done, and when its search for
	 * holders does: stacks need time too. */
	int64_t sample_until_ms, walk_until_ms;
	int64_t self, parent; /* our worker's and our own PID */
	int64_t self_netns;
	int64_t tracer; /* the thread that traces our worker; 0 = none */

	NH_VEC(struct nh_entry) host; /* every process, by pid */
	NH_VEC(struct nh_subject) subjects;
	struct nh_set subject_pids;
	struct nh_set fd_rows;	   /* descriptors recorded in this sample, see nh_fd_key */
	struct nh_set waited;	   /* inodes that some thread waits on */
	struct nh_set written;	   /* pipes among them that somebody waits to write to */
	struct nh_set waited_rows; /* descriptors that some thread waits on, see nh_fd_key */
	struct nh_set
		searched; /* inodes whose holders are wanted: waited ones and their other ends */
	struct nh_set unix_inodes;
	struct nh_set gap_keys;	      /* gaps already said */
	NH_VEC(int64_t) search_list;  /* searched, as a list */
	NH_VEC(struct nh_fifo) fifos; /* searched, as search_list */
	NH_VEC(struct nh_met) met;    /* by the search for holders, in this sample */
	struct nh_set walked_before;  /* processes the first sample's search went through */
	NH_VEC(const char *) ras_at;  /* addresses to ask for RAS, as NCCL_RAS_ADDR says */
	bool last;		      /* this sample is the last one */
	/* openers.c: files that the host's processes have open, noted in one walk a sample. */
	struct {
		int64_t sample; /* the one of that walk; 0 = none yet */
		NH_VEC(struct nh_met) met;
		bool whole; /* every process was seen */
	} open_files;
	struct {
		int64_t pid; /* of the process that asks for the GPUs; 0 = not asked */
		int64_t until_ms;
		int fd; /* where it tells */
	} gpus;
};

/* table.c: reads every process's stat; 0 or a negative errno. */
int nh_table_read(struct nh_collector *k);
const struct nh_entry *nh_table_find(const struct nh_collector *k, int64_t pid);

/* select.c: the processes to read, and further ones as the edges lead to them. */
int nh_select(struct nh_collector *k);
/* NULL if it is gone or a subject already. */
struct nh_subject *nh_subject_add(struct nh_collector *k, int64_t pid, int why);
void nh_select_descendants(struct nh_collector *k);

/* process.c, thread.c, fds.c: rows of one subject in this sample. */
void nh_read_process(struct nh_collector *k, struct nh_subject *s);
void nh_read_identity(struct nh_collector *k, const struct nh_entry *e, int why);
void nh_read_threads(struct nh_collector *k, struct nh_subject *s);
/* Gives threads that were found running a second chance to be seen waiting. */
void nh_reread_running(struct nh_collector *k);
void nh_read_fd_table(struct nh_collector *k, struct nh_subject *s);
void nh_resolve_waits(struct nh_collector *k, struct nh_subject *s, struct nh_thread *t);
void nh_read_modules(struct nh_collector *k, struct nh_subject *s);
/* file.c: text of a process up to its NUL; -ENAMETOOLONG without one. */
int nh_read_text(const struct nh_mem *m, uint64_t addr, char buf[PATH_MAX]);
/* The path that a call works on, while the thread is in it. */
int nh_read_path(struct nh_collector *k, int dir, const char *task, const struct nh_mem *m,
	struct nh_thread *t);
/* What file system a thread's call works on, and where in the kernel it is. */
void nh_read_file(struct nh_collector *k, struct nh_subject *s, struct nh_thread *t);
/*
 * nccl_version.c: whether a mapped file is an NCCL or has one linked in, and which; fills the nccl
 * fields of a row whose path is set.  fd is the file, or -1; head is where its first byte is mapped
 * in the process, or 0; exe: it is the program itself.
 */
void nh_read_nccl(struct nh_collector *k, struct nh_subject *s, int fd, uint64_t head, bool exe,
	struct nh_module *row);
/* Records a descriptor once; link is what its /proc link says. */
struct nh_fd *nh_fd_record(struct nh_collector *k, int64_t pid, int64_t own_tid, int64_t fd,
	const char *link, size_t len);
/* The same from what the search for holders noted. */
void nh_fd_record_met(struct nh_collector *k, const struct nh_met *m);
/* "r", "w", "rw" by the link's permission bits, or NULL. */
const char *nh_fd_mode(int dir, const char *path);
uint64_t nh_fd_key(int64_t table, int64_t fd);
/* Whether a thread has a descriptor table of its own. */
bool nh_has_own_fds(const struct nh_collector *k, int64_t pid, int64_t tid);

/* object.c: flags, counters and named FIFOs behind the descriptors that somebody waits on or that
 * are searched, for rows that lack them. */
void nh_read_objects(struct nh_collector *k);
/* Records a file the search met if it is one of the searched FIFOs. */
void nh_fifo_record_met(struct nh_collector *k, const struct nh_met *m);
/* opening.c: the FIFO that a thread is blocked opening. */
void nh_read_opening(struct nh_collector *k, struct nh_subject *s, const struct nh_thread *t);
/* Records it, if fd (O_PATH) is one; path is where it is, in the case's arena. */
void nh_fifo_record_opening(struct nh_collector *k, const struct nh_thread *t, int fd,
	const char *mode, const char *path);
/* A key of a path's last component: the same file has it in every mount namespace. */
int64_t nh_name_key(const char *path, size_t len);
/* Whether the row is of a searched socket, pipe or FIFO. */
bool nh_is_searched(const struct nh_collector *k, const struct nh_fd *f);

/* sockets.c: the holders of this inode are wanted. */
void nh_search_for(struct nh_collector *k, int64_t inode);
/* The rows of every subject's network namespace that matter. */
void nh_read_sockets(struct nh_collector *k);
/* walk.c: all holders of the searched inodes over all processes; cheap from the second call on. */
void nh_walk_holders(struct nh_collector *k);
bool nh_has_holder(const struct nh_collector *k, int64_t inode);
/* openers.c: calls fn for each descriptor whose link is that path, in process `first` before all
 * others; non-zero from fn ends it.  False if some process could not be seen; that is a gap too.
 * The others cost a walk over the host's descriptors, once a sample. */
typedef int nh_opener_fn(void *ctx, int64_t pid, int64_t fd);
bool nh_each_opener(
	struct nh_collector *k, const char *path, int64_t first, nh_opener_fn *fn, void *ctx);
/* file_locks.c: the locks on files that threads wait for, and who has them; true if somebody new
 * became a subject by that. */
bool nh_read_file_locks(struct nh_collector *k);
/* lock_files.c: in the last sample, after the stacks: files that are locks by being there. */
void nh_read_lock_files(struct nh_collector *k);
/* shared.c: in the last sample: the shared memory that threads wait in. */
void nh_read_shared_waits(struct nh_collector *k);
/* missing.c: an other end without a visible holder: where it can be. */
void nh_search_missing(struct nh_collector *k);

/* stacks.c: the stack of every subject's thread, in the last sample, after all that needs no stop.
 */
void nh_read_stacks(struct nh_collector *k);

/* cgroup.c: the control groups of this sample's processes. */
void nh_read_cgroups(struct nh_collector *k);
/* kernel_log.c: the lines of the kernel's log that matter. */
void nh_read_kernel_log(struct nh_collector *k);

/* ras.c: where the subjects of this sample have NCCL's RAS service; asks it, once each. */
void nh_find_ras(struct nh_collector *k);
void nh_ask_ras(struct nh_collector *k);

/* gpu.c: asks for the state of the host's GPUs, if it has some and there is a subject; takes what
 * was told by then, and ends the asking. */
void nh_gpus_begin(struct nh_collector *k);
void nh_gpus_end(struct nh_collector *k);

/* dump.c: asks the subjects' flight recorders for a dump, and waits for it. */
void nh_ask_dumps(struct nh_collector *k);

/* sample.c: one look at everything. */
void nh_take_sample(struct nh_collector *k);

/* gap.c: err is a positive errno or 0 with why given. */
void nh_gap_errno(struct nh_collector *k, int64_t pid, const char *what, int err, bool needed);
void nh_gap_said(struct nh_collector *k, const char *subject, const char *what, const char *why,
	const char *grant, bool needed);
/* What only root sees and only adds to what is known. */
void nh_gap_minor(struct nh_collector *k, const char *subject, const char *what, int err);
/* "pid 7", or "3 processes (pid 7 for one)". */
const char *nh_some_pids(struct nh_collector *k, int64_t n, int64_t example);
/* The command that shows what permission hid; owner is the uid of the process, or NH_UNKNOWN. */
const char *nh_grant(struct nh_collector *k, int64_t owner, const char **why);

#endif
