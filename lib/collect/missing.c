#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collect/internal.h"
#include "know/wait.h"
#include "proc/read.h"

/*
 * A socket that lives although no descriptor of it is seen is held by something else: a call that
 * blocks on a descriptor closed meanwhile, a message in flight, an io_uring.  Each is looked for;
 * what is found becomes rows, never a verdict.
 */
enum { PF_KTHREAD = 0x00200000 };

struct missing {
	struct nh_collector *k;
	int64_t pid;
	int piddir;
};

static bool any_missing(const struct nh_collector *k)
{
	nh_for(inode, &k->search_list)
		if (!nh_has_holder(k, *inode))
			return true;
	return false;
}

/* Descriptors in the queue of a unix socket, and io_uring instances. */
static int look_for_carriers(void *ctx, int dirfd, int64_t fd)
{
	struct missing *m = ctx;
	struct nh_collector *k = m->k;
	char path[40], link[64], buf[4096];
	struct nh_fdinfo info;
	struct nh_fd *row;
	int64_t inode;

	snprintf(path, sizeof(path), "%jd", (intmax_t)fd);

	ssize_t n = nh_read_link(dirfd, path, link, sizeof(link));

	if (n <= 0)
		return 0;
	if (!strcmp(link, "anon_inode:[io_uring]")) {
		nh_fd_record(k, m->pid, NH_UNKNOWN, fd, link, (size_t)n);
		return 0;
	}
	if (nh_parse_fd_link(link, (size_t)n, &inode) != NH_FD_SOCKET ||
		!nh_set_has(&k->unix_inodes, (uint64_t)inode))
		return 0;
	snprintf(path, sizeof(path), "fdinfo/%jd", (intmax_t)fd);

	ssize_t len = nh_read_small(m->piddir, path, buf, sizeof(buf));

	if (len <= 0 || nh_parse_fdinfo(buf, (size_t)len, &info) || info.scm_fds == NH_UNKNOWN ||
		info.scm_fds <= 0)
		return 0;
	row = nh_fd_record(k, m->pid, NH_UNKNOWN, fd, link, (size_t)n);
	if (row)
		row->scm_fds = info.scm_fds;
	else
		nh_for(old, &k->c->fds)
			if (old->pid == m->pid && old->fd == fd && old->sample == k->sample)
				old->scm_fds = info.scm_fds;
	return 0;
}

/* A thread blocked on a descriptor number that its table does not have. */
static int look_for_closed(void *ctx, int taskdir, int64_t tid)
{
	struct missing *m = ctx;
	struct nh_syscall sc;
	struct stat st;
	char path[64], buf[256];

	snprintf(path, sizeof(path), "%jd/syscall", (intmax_t)tid);

	ssize_t n = nh_read_small(taskdir, path, buf, sizeof(buf));

	if (n <= 0 || nh_parse_syscall(buf, (size_t)n, &sc) || sc.running)
		return 0;

	uint64_t args[6];
	struct nh_thread t = { .nr = sc.nr, .args = { args, 6, 6 } };

	memcpy(args, sc.args, sizeof(args));

	struct nh_wait w = nh_wait_decode(m->k->c->machine, &t);

	if (w.fd == NH_UNKNOWN || w.fd < 0)
		return 0;
	snprintf(path, sizeof(path), "%jd/fd/%jd", (intmax_t)tid, (intmax_t)w.fd);
	if (!fstatat(taskdir, path, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT)
		return 0;
	nh_fd_record(m->k, m->pid, NH_UNKNOWN, w.fd, NULL, 0);
	return 0;
}

void nh_search_missing(struct nh_collector *k)
{
	if (k->recorded || !any_missing(k))
		return;
	nh_for(e, &k->host) {
		struct missing m = { .k = k, .pid = e->pid };
		char path[32];

		if (e->flags & PF_KTHREAD || e->state == 'Z' || e->pid == k->self ||
			!nh_mark_begin(k->mark, e->pid, "descriptors in flight"))
			continue;
		snprintf(path, sizeof(path), "%jd", (intmax_t)e->pid);
		m.piddir = nh_dir_open(k->root, path);
		if (m.piddir < 0)
			continue;
		nh_each_number(m.piddir, "fd", look_for_carriers, &m);
		nh_each_number(m.piddir, "task", look_for_closed, &m);
		close(m.piddir);
	}
}
