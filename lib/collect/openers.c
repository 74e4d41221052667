#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

/*
 * Who has a file open, over all processes of the host.  This is a walk beside that of walk.c: of
 * the files that one meets only the FIFOs matter to it, and it is not made where nobody waits for a
 * socket or a pipe.  So this one is made only once somebody waits for a lock on a file which the
 * process that asked for it no longer has, and once a sample, however many wait and for however
 * many files.
 */
enum { PF_KTHREAD = 0x00200000 };

struct walk {
	struct nh_collector *k;
	int64_t pid, refused, refused_pid;
};

static int note(void *ctx, int dirfd, int64_t fd)
{
	struct walk *w = ctx;
	char name[24], link[4097];

	snprintf(name, sizeof(name), "%jd", (intmax_t)fd);

	ssize_t n = nh_read_link(dirfd, name, link, sizeof(link));

	if (n > 0 && *link == '/')
		*nh_push(w->k->a, &w->k->open_files.met) =
			(struct nh_met){ nh_name_key(link, (size_t)n), w->pid, NH_UNKNOWN,
				(int32_t)fd, NH_FD_FILE };
	return 0;
}

static void note_process(struct walk *w, int64_t pid)
{
	char path[32];
	int r;

	if (!nh_mark_begin(w->k->mark, pid, "open files")) {
		w->k->open_files.whole = false;
		return;
	}
	w->pid = pid;
	snprintf(path, sizeof(path), "%jd/fd", (intmax_t)pid);
	r = nh_each_number(w->k->root, path, note, w);
	if (r == -EACCES || r == -EPERM) {
		w->refused++;
		w->refused_pid = pid;
	}
}

/* Whoever is not seen may hold it: said, so that "nobody" is never taken for known. */
static void say_unseen(struct walk *w, bool in_time)
{
	struct nh_collector *k = w->k;
	const char *why, *grant;

	if (!in_time)
		nh_gap_said(k, "search for who has a file open",
			"the rest of this host's processes", "not finished in time",
			nh_arena_printf(k->a, "%s --timeout %.3g", k->o->rerun,
				(double)k->o->timeout_ms * 3 / 1000),
			false);
	if (!w->refused)
		return;
	grant = nh_grant(k, NH_UNKNOWN, &why);
	nh_gap_said(k, nh_some_pids(k, w->refused, w->refused_pid),
		"whether the locked file is open there", why, grant, false);
}

static void note_all(struct nh_collector *k)
{
	struct walk w = { .k = k };
	bool in_time = true;

	k->open_files.sample = k->sample;
	k->open_files.met.n = 0;
	k->open_files.whole = true;
	nh_for(e, &k->host) {
		if (e->flags & PF_KTHREAD || e->state == 'Z' || e->pid == k->self)
			continue;
		in_time = nh_now_ms() < k->walk_until_ms;
		if (!in_time)
			break;
		note_process(&w, e->pid);
	}
	say_unseen(&w, in_time);
	k->open_files.whole &= in_time && !w.refused;
}

struct wanted {
	struct nh_collector *k;
	const char *path;
	int64_t pid;
	nh_opener_fn *fn;
	void *ctx;
};

/* Non-zero if fn has seen enough. */
static int look_at(struct wanted *q, int dir, const char *name, int64_t fd)
{
	char link[4097];

	return nh_read_link(dir, name, link, sizeof(link)) > 0 && nh_streq(link, q->path)
		       ? q->fn(q->ctx, q->pid, fd)
		       : 0;
}

static int look(void *ctx, int dirfd, int64_t fd)
{
	char name[24];

	snprintf(name, sizeof(name), "%jd", (intmax_t)fd);
	return look_at(ctx, dirfd, name, fd);
}

static int look_at_process(struct wanted *q, int64_t pid)
{
	char path[32];

	if (!nh_mark_begin(q->k->mark, pid, "open files"))
		return 0;
	q->pid = pid;
	snprintf(path, sizeof(path), "%jd/fd", (intmax_t)pid);
	return nh_each_number(q->k->root, path, look, q) > 0;
}

bool nh_each_opener(
	struct nh_collector *k, const char *path, int64_t first, nh_opener_fn *fn, void *ctx)
{
	struct wanted q = { .k = k, .path = path, .fn = fn, .ctx = ctx };
	int64_t key = nh_name_key(path, strlen(path));

	if (first > 0 && nh_table_find(k, first) && look_at_process(&q, first))
		return true;
	if (k->open_files.sample != k->sample)
		note_all(k);
	nh_for(m, &k->open_files.met) {
		char name[48];

		if (m->inode != key || m->pid == first ||
			!nh_mark_begin(k->mark, m->pid, "open files"))
			continue;
		q.pid = m->pid;
		snprintf(name, sizeof(name), "%jd/fd/%d", (intmax_t)m->pid, m->fd);
		if (look_at(&q, k->root, name, m->fd))
			return true;
	}
	return k->open_files.whole;
}
