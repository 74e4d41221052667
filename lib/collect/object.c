#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

/*
 * What is behind a descriptor beyond its link.  Read for the few that somebody waits on or whose
 * ends are searched: it takes a file of fdinfo each.
 */

int64_t nh_name_key(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	size_t skip = slash ? (size_t)(slash + 1 - path) : 0;

	return (int64_t)(nh_hash(path + skip, len - skip, 1) >> 1);
}

static const struct nh_fifo *find_fifo(const struct nh_collector *k, int64_t dev, int64_t inode)
{
	nh_for(f, &k->fifos)
		if (f->dev == dev && f->inode == inode)
			return f;
	return NULL;
}

bool nh_is_searched(const struct nh_collector *k, const struct nh_fd *f)
{
	if (f->kind == NH_FD_CLOSED || f->kind == NH_FD_OPENING || f->inode == NH_UNKNOWN)
		return false;
	return f->dev == NH_UNKNOWN ? nh_set_has(&k->searched, (uint64_t)f->inode)
				    : find_fifo(k, f->dev, f->inode) != NULL;
}

/* Without asking the file system's server: it may be gone. */
static bool stat_fifo(int dir, const char *path, int64_t *dev, int64_t *inode)
{
	struct statx st;

	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | (*path ? 0 : AT_EMPTY_PATH);

	if (statx(dir, path, flags, STATX_TYPE | STATX_INO, &st) || !S_ISFIFO(st.stx_mode))
		return false;
	*dev = (int64_t)st.stx_dev_major << 20 | st.stx_dev_minor;
	*inode = (int64_t)st.stx_ino;
	return true;
}

static void make_fifo(struct nh_fd *row, int64_t dev, int64_t inode)
{
	row->kind = NH_FD_PIPE;
	row->dev = dev;
	row->inode = inode;
}

static void search_for_fifo(struct nh_collector *k, const struct nh_fd *row)
{
	if (!find_fifo(k, row->dev, row->inode))
		*nh_push(k->a, &k->fifos) = (struct nh_fifo){ row->dev, row->inode,
			nh_name_key(row->path, strlen(row->path)) };
}

void nh_fifo_record_opening(struct nh_collector *k, const struct nh_thread *t, int fd,
	const char *mode, const char *path)
{
	int64_t dev, inode;
	struct nh_fd *row;

	if (!stat_fifo(fd, "", &dev, &inode))
		return;
	/* A thread met a second time is in the same call, or not opening at all. */
	nh_for(old, &k->c->fds)
		if (old->sample == k->sample && old->kind == NH_FD_OPENING && old->tid == t->tid)
			return;
	row = nh_case_row(k->c, fd, fds);
	make_fifo(row, dev, inode);
	row->sample = k->sample;
	row->pid = t->pid;
	row->tid = t->tid;
	row->kind = NH_FD_OPENING;
	row->mode = mode;
	row->path = path;
	search_for_fifo(k, row);
}

/* Where a row's descriptor is found: PID/fd/N, through a living thread if the leader has ended. */
static int64_t through(const struct nh_collector *k, const struct nh_fd *row)
{
	if (row->tid != NH_UNKNOWN)
		return row->tid;
	nh_for(s, &k->subjects)
		if (s->pid == row->pid)
			return s->live_tid;
	return row->pid;
}

static void read_fdinfo(struct nh_collector *k, struct nh_fd *row, const char *path)
{
	char buf[4096];
	struct nh_fdinfo info;
	ssize_t n = nh_read_small(k->root, path, buf, sizeof(buf));

	if (n <= 0 || nh_parse_fdinfo(buf, (size_t)n, &info))
		return;
	row->flags = info.flags;
	row->id = info.eventfd_id;
	row->count = info.eventfd_count;
	row->timer_ms = info.timer_ms;
}

static void read_object(struct nh_collector *k, struct nh_fd *row)
{
	intmax_t who = (intmax_t)through(k, row);
	char path[64];
	int64_t dev, inode;

	if (!nh_mark_begin(k->mark, row->pid, "what is behind a descriptor"))
		return;
	snprintf(path, sizeof(path), "%jd/fd/%jd", who, (intmax_t)row->fd);
	if (!row->mode)
		row->mode = nh_fd_mode(k->root, path);
	if (row->kind == NH_FD_FILE && !k->recorded && stat_fifo(k->root, path, &dev, &inode)) {
		make_fifo(row, dev, inode);
		search_for_fifo(k, row);
	}
	snprintf(path, sizeof(path), "%jd/fdinfo/%jd", who, (intmax_t)row->fd);
	read_fdinfo(k, row, path);
}

static bool is_wanted(const struct nh_collector *k, const struct nh_fd *row)
{
	int64_t table = row->tid != NH_UNKNOWN ? row->tid : row->pid;

	switch (row->kind) {
	case NH_FD_PIPE:
		return nh_is_searched(k, row);
	case NH_FD_SOCKET:
		return nh_is_searched(k, row) && nh_set_has(&k->unix_inodes, (uint64_t)row->inode);
	case NH_FD_FILE:
	case NH_FD_ANON:
		return nh_set_has(&k->waited_rows, nh_fd_key(table, row->fd));
	default:
		return false;
	}
}

void nh_read_objects(struct nh_collector *k)
{
	/* A FIFO among them makes no new row, so the table stays in place. */
	nh_for(row, &k->c->fds)
		if (row->sample == k->sample && row->flags == NH_UNKNOWN && is_wanted(k, row))
			read_object(k, row);
}

static struct nh_fd *find_row(struct nh_collector *k, const struct nh_met *m)
{
	nh_for(row, &k->c->fds)
		if (row->sample == k->sample && row->pid == m->pid && row->fd == m->fd &&
			row->tid == m->own_tid)
			return row;
	return NULL;
}

void nh_fifo_record_met(struct nh_collector *k, const struct nh_met *m)
{
	char path[64], link[4097];
	int64_t dev, inode;
	struct nh_fd *row;
	bool named = false;

	nh_for(f, &k->fifos)
		named |= f->name == m->inode;
	if (!named || k->recorded || !nh_mark_begin(k->mark, m->pid, "what is behind a descriptor"))
		return;
	snprintf(path, sizeof(path), "%jd/fd/%d",
		(intmax_t)(m->own_tid != NH_UNKNOWN ? m->own_tid : m->pid), m->fd);

	ssize_t n = nh_read_link(k->root, path, link, sizeof(link));

	if (n <= 0 || !stat_fifo(k->root, path, &dev, &inode) || !find_fifo(k, dev, inode))
		return;
	row = nh_fd_record(k, m->pid, m->own_tid, m->fd, link, (size_t)n);
	row = row ? row : find_row(k, m);
	if (row && row->kind == NH_FD_FILE)
		make_fifo(row, dev, inode);
}
