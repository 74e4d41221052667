#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include "base/str.h"
#include "collect/internal.h"
#include "know/file_lock.h"
#include "proc/read.h"

/*
 * Locks on files that a thread waits for, and who has them.  /proc/locks names the process that
 * asked for a lock.  A flock belongs to an open file description, though, which children inherit
 * and which outlives that process; whose descriptors show the lock in fdinfo, those have it.
 */
enum { LOCKS_MAX = 4 << 20, HOLDERS_MAX = 16 };

struct text {
	const char *buf;
	size_t len;
};

static struct nh_file_lock *add_row(struct nh_collector *k, const struct nh_lock_row *from)
{
	struct nh_file_lock *row = nh_case_row(k->c, file_lock, file_locks);

	row->sample = k->sample;
	row->number = from->number;
	row->kind = from->kind;
	row->write = from->write;
	row->waiting = from->waiting;
	row->owner = from->owner > 0 ? from->owner : NH_UNKNOWN;
	row->inode = from->inode;
	row->device = nh_arena_printf(k->a, "%02x:%02x", from->major, from->minor);
	row->start = from->start;
	row->end = from->end;
	return row;
}

static bool is_of(const struct nh_file_lock *l, const struct nh_lock_row *row)
{
	return l->kind == row->kind && l->inode == row->inode && l->write == row->write &&
	       l->start == row->start && l->end == row->end && l->waiting == row->waiting &&
	       l->owner == (row->owner > 0 ? row->owner : NH_UNKNOWN);
}

struct holders {
	struct nh_collector *k;
	const struct nh_lock_row *row; /* a held one; one that waits: whatever is in its way */
	const char *path;
	int64_t waiter, waits_on; /* the process and descriptor that wait: no holder; or unknown */
	size_t n;
	int64_t last; /* a process is recorded once */
};

/* Whether a lock that a descriptor shows is the one whose holders are looked for. */
static bool is_shown(const struct nh_lock_row *shown, const struct nh_lock_row *row)
{
	return shown->kind == row->kind && shown->inode == row->inode &&
	       (row->waiting ? shown->write || row->write
			     : shown->write == row->write && shown->start == row->start);
}

/* A process has the file open; whether it is the very description is what fdinfo says. */
static int on_opener(void *ctx, int64_t pid, int64_t fd)
{
	struct holders *h = ctx;
	struct nh_lock_row shown;
	struct nh_file_lock *l;
	char path[64], buf[4096];
	size_t pos = 0;

	if (pid == h->last || (pid == h->waiter && fd == h->waits_on))
		return 0;
	snprintf(path, sizeof(path), "%jd/fdinfo/%jd", (intmax_t)pid, (intmax_t)fd);

	ssize_t n = nh_read_small(h->k->root, path, buf, sizeof(buf));

	while (n > 0 && nh_parse_lock(buf, (size_t)n, &pos, &shown) > 0) {
		if (!is_shown(&shown, h->row))
			continue;
		l = add_row(h->k, h->row->waiting ? &shown : h->row);
		l->pid = h->last = pid;
		l->fd = fd;
		l->path = h->path;
		if (h->row->waiting)
			l->number = NH_UNKNOWN;
		/* Whoever asked for it and still has it will give it back: the others matter only
		 * where that one does not. */
		return ++h->n >= HOLDERS_MAX || pid == h->row->owner;
	}
	return 0;
}

static void record_holders(struct nh_collector *k, const struct nh_lock_row *row, const char *path)
{
	struct holders h = {
		.k = k, .row = row, .path = path, .waiter = NH_UNKNOWN, .waits_on = NH_UNKNOWN
	};
	struct nh_file_lock *l;

	if (row->kind == NH_LOCK_FLOCK || row->kind == NH_LOCK_OFD)
		nh_each_opener(k, path, row->owner, on_opener, &h);
	if (h.n)
		return;
	l = add_row(k, row);
	l->path = path;
	/* The other kinds are the process's own, and end with it. */
	if (row->kind != NH_LOCK_FLOCK && row->kind != NH_LOCK_OFD && row->owner > 0)
		l->pid = row->owner;
}

static bool is_known(const struct nh_collector *k, const struct nh_lock_row *row)
{
	nh_for(l, &k->c->file_locks)
		if (l->sample == k->sample && is_of(l, row))
			return true;
	return false;
}

/* Everything that keeps that wanted lock waiting. */
static void record_blockers(
	struct nh_collector *k, const struct text *all, struct nh_file_lock wanted)
{
	struct nh_lock_row row;

	for (size_t pos = 0; nh_parse_lock(all->buf, all->len, &pos, &row) > 0;) {
		struct nh_file_lock held = { .kind = row.kind,
			.write = row.write,
			.waiting = row.waiting,
			.inode = row.inode,
			.device = nh_arena_printf(k->a, "%02x:%02x", row.major, row.minor),
			.start = row.start,
			.end = row.end };

		if (nh_file_lock_blocks(&held, &wanted) && !is_known(k, &row))
			record_holders(k, &row, wanted.path);
	}
}

/* The inode of the file behind a thread's descriptor; Linux before 5.14 does not print it. */
static int64_t inode_of(struct nh_collector *k, const struct nh_thread *t, int64_t fd)
{
	struct nh_fdinfo info;
	char path[96], buf[4096];

	snprintf(path, sizeof(path), "%jd/task/%jd/fdinfo/%jd", (intmax_t)t->pid, (intmax_t)t->tid,
		(intmax_t)fd);

	ssize_t n = nh_read_small(k->root, path, buf, sizeof(buf));

	return n > 0 && !nh_parse_fdinfo(buf, (size_t)n, &info) ? info.ino : NH_UNKNOWN;
}

/* The file behind a thread's descriptor, as its link says; NULL = not read. */
static const char *path_of(struct nh_collector *k, const struct nh_thread *t, int64_t fd)
{
	char path[96], link[4097];

	snprintf(path, sizeof(path), "%jd/task/%jd/fd/%jd", (intmax_t)t->pid, (intmax_t)t->tid,
		(intmax_t)fd);

	ssize_t n = nh_read_link(k->root, path, link, sizeof(link));

	return n > 0 ? nh_utf8_repair(k->a, link, (size_t)n) : NULL;
}

static struct nh_file_lock *add_wait(struct nh_collector *k, const struct nh_lock_row *row,
	const struct nh_thread *t, int64_t fd)
{
	struct nh_file_lock *l = add_row(k, row);

	l->pid = t->pid;
	l->tid = t->tid;
	l->fd = fd;
	l->path = path_of(k, t, fd);
	return l;
}

/*
 * In a pid namespace /proc/locks leaves out what a process outside of it asked for, or one that has
 * ended, and with that whoever waits for it.  The call says what is wanted, and fdinfo who has it.
 */
static void record_unlisted(
	struct nh_collector *k, const struct nh_thread *t, int64_t fd, int64_t inode)
{
	struct nh_lock_row row = { .number = -1,
		.kind = NH_LOCK_FLOCK,
		.write = !(t->args.v[1] & LOCK_SH),
		.waiting = true,
		.inode = inode,
		.end = NH_UNKNOWN };
	/* The lock may have been given meanwhile: then it is its own by this descriptor. */
	struct holders h = { .k = k, .row = &row, .waiter = t->pid, .waits_on = fd };
	size_t at = k->c->file_locks.n;
	struct nh_file_lock *l = add_wait(k, &row, t, fd);

	l->number = NH_UNKNOWN;
	l->owner = t->pid;
	l->device = NULL;
	h.path = l->path;
	if (h.path)
		nh_each_opener(k, h.path, 0, on_opener, &h);
	if (h.n)
		k->c->file_locks.v[at].device = k->c->file_locks.v[at + 1].device;
}

static void record_wait(struct nh_collector *k, const struct text *all, const struct nh_thread *t,
	int kind, int64_t fd)
{
	int64_t inode = inode_of(k, t, fd);
	struct nh_lock_row row;

	for (size_t pos = 0; nh_parse_lock(all->buf, all->len, &pos, &row) > 0;) {
		const struct nh_file_lock *l;

		/* Those of open file descriptions have no owner. */
		if (!row.waiting || row.kind != kind || (row.owner > 0 && row.owner != t->pid) ||
			(inode != NH_UNKNOWN && row.inode != inode))
			continue;
		l = add_wait(k, &row, t, fd);
		if (l->path)
			record_blockers(k, all, *l);
		return;
	}
	if (kind == NH_LOCK_FLOCK && inode != NH_UNKNOWN)
		record_unlisted(k, t, fd, inode);
}

/* Who has a lock is read too, so that what it does is known. */
static bool follow(struct nh_collector *k)
{
	size_t before = k->subjects.n;

	nh_for(l, &k->c->file_locks)
		if (l->sample == k->sample && !l->waiting && l->pid != NH_UNKNOWN)
			nh_subject_add(k, l->pid, NH_WHY_HOLDER);
	return k->subjects.n > before;
}

bool nh_read_file_locks(struct nh_collector *k)
{
	struct nh_arena tmp = { 0 };
	struct text all = { 0 };
	ssize_t n = -EBUSY;
	bool asked = false;

	/* Holders that were met meanwhile may wait too: read anew as a whole. */
	while (k->c->file_locks.n && k->c->file_locks.v[k->c->file_locks.n - 1].sample == k->sample)
		k->c->file_locks.n--;
	for (size_t i = 0; i < k->c->threads.n; i++) {
		const struct nh_thread *t = &k->c->threads.v[i];
		struct nh_wait w = nh_wait_decode(k->c->machine, t);
		int kind = t->sample == k->sample ? (int)nh_file_lock_wanted(&w, t) : 0;

		if (!kind)
			continue;
		if (!asked) {
			char *text = NULL;

			if (nh_mark_begin(k->mark, 0, "file locks"))
				n = nh_read_whole(&tmp, k->root, "locks", LOCKS_MAX, &text, NULL);
			asked = true;
			all = (struct text){ text, n > 0 ? (size_t)n : 0 };
			if (n < 0)
				nh_gap_said(k, "/proc/locks", "who holds the file locks waited for",
					strerror((int)-n), NULL, true);
		}
		record_wait(k, &all, t, kind, w.fd);
	}
	nh_arena_free(&tmp);
	return follow(k);
}
