#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

enum { TABLE_MAX = 2048 }; /* descriptors of one table that are recorded without being waited on */

uint64_t nh_fd_key(int64_t table, int64_t fd)
{
	return (uint64_t)table << 32 | (uint32_t)fd;
}

bool nh_has_own_fds(const struct nh_collector *k, int64_t pid, int64_t tid)
{
	/* Without kcmp(2) (an old kernel, no ptrace access) tables are taken as shared. */
	return !k->recorded && pid != tid &&
	       syscall(SYS_kcmp, (pid_t)pid, (pid_t)tid, KCMP_FILES, 0, 0) > 0;
}

static struct nh_fd *new_row(struct nh_collector *k, int64_t pid, int64_t own_tid, int64_t fd)
{
	struct nh_fd *row;

	if (!nh_set_add(k->a, &k->fd_rows, nh_fd_key(own_tid != NH_UNKNOWN ? own_tid : pid, fd)))
		return NULL;
	row = nh_case_row(k->c, fd, fds);
	row->sample = k->sample;
	row->pid = pid;
	row->tid = own_tid;
	row->fd = fd;
	return row;
}

struct nh_fd *nh_fd_record(struct nh_collector *k, int64_t pid, int64_t own_tid, int64_t fd,
	const char *link, size_t len)
{
	struct nh_fd *row = new_row(k, pid, own_tid, fd);

	if (!row)
		return NULL;
	row->kind = link ? nh_parse_fd_link(link, len, &row->inode) : NH_FD_CLOSED;
	if (link && row->kind != NH_FD_SOCKET && row->kind != NH_FD_PIPE)
		row->path = nh_utf8_repair(k->a, link, len);
	return row;
}

void nh_fd_record_met(struct nh_collector *k, const struct nh_met *m)
{
	struct nh_fd *row = new_row(k, m->pid, m->own_tid, m->fd);

	if (row) {
		row->kind = m->kind;
		row->inode = m->inode;
	}
}

/* The owner's permission bits of the link are the descriptor's access mode. */
const char *nh_fd_mode(int dir, const char *path)
{
	struct stat st;

	if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW))
		return NULL;
	switch (st.st_mode & (S_IRUSR | S_IWUSR)) {
	case S_IRUSR:
		return "r";
	case S_IWUSR:
		return "w";
	case S_IRUSR | S_IWUSR:
		return "rw";
	default:
		return NULL;
	}
}

void nh_resolve_waits(struct nh_collector *k, struct nh_subject *s, struct nh_thread *t)
{
	int64_t own = t->own_fds ? t->tid : NH_UNKNOWN;

	nh_for(w, &t->waits) {
		char path[64], link[512];
		struct nh_fd *row;
		int64_t inode = 0;
		int kind;

		/* Through the thread: it may have a table of its own, or a leader that is gone. */
		snprintf(path, sizeof(path), "task/%jd/fd/%jd", (intmax_t)t->tid, (intmax_t)w->fd);

		ssize_t n = nh_read_link(s->dir, path, link, sizeof(link));

		if (n == -EACCES || n == -EPERM) {
			nh_gap_errno(k, s->pid, "descriptors", (int)-n, true);
			return;
		}
		if (n < 0 && n != -ENOENT && n != -ENAMETOOLONG)
			continue;
		row = nh_fd_record(
			k, s->pid, own, w->fd, n < 0 ? NULL : link, n < 0 ? 0 : (size_t)n);
		if (row)
			row->mode = nh_fd_mode(s->dir, path);
		/* Where a file system's server is awaited, the file is left alone. */
		if (nh_streq(t->state, "S"))
			nh_set_add(k->a, &k->waited_rows,
				nh_fd_key(own != NH_UNKNOWN ? own : s->pid, w->fd));
		/* Recorded already or not, it is waited on now. */
		kind = n < 0 ? NH_FD_CLOSED : nh_parse_fd_link(link, (size_t)n, &inode);
		if (kind == NH_FD_SOCKET || kind == NH_FD_PIPE)
			nh_set_add(k->a, &k->waited, (uint64_t)inode);
		if (kind == NH_FD_PIPE)
			nh_search_for(k, inode);
		if (kind == NH_FD_PIPE && w->events & POLLOUT)
			nh_set_add(k->a, &k->written, (uint64_t)inode);
	}
}

struct table {
	struct nh_collector *k;
	struct nh_subject *s;
	int64_t n;
};

static int record_one(void *ctx, int dirfd, int64_t fd)
{
	struct table *tab = ctx;
	char name[24], link[4097];
	struct nh_fd *row;

	if (tab->n++ >= TABLE_MAX)
		return 1;
	snprintf(name, sizeof(name), "%jd", (intmax_t)fd);

	ssize_t n = nh_read_link(dirfd, name, link, sizeof(link));

	if (n < 0)
		return 0;
	row = nh_fd_record(tab->k, tab->s->pid, NH_UNKNOWN, fd, link, (size_t)n);
	if (row)
		row->mode = nh_fd_mode(dirfd, name);
	return 0;
}

void nh_read_fd_table(struct nh_collector *k, struct nh_subject *s)
{
	struct table tab = { .k = k, .s = s };
	int r = nh_each_number(s->live, "fd", record_one, &tab);

	if (r < 0)
		nh_gap_errno(k, s->pid, "descriptors", -r, true);
}
