#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

enum { PF_KTHREAD = 0x00200000 };

struct walk {
	struct nh_collector *k;
	const char *path;
	nh_opener_fn *fn;
	void *ctx;
	int64_t pid, refused, refused_pid;
};

static int look(void *ctx, int dirfd, int64_t fd)
{
	struct walk *w = ctx;
	char name[24], link[4097];

	snprintf(name, sizeof(name), "%jd", (intmax_t)fd);
	return nh_read_link(dirfd, name, link, sizeof(link)) > 0 && nh_streq(link, w->path)
		       ? w->fn(w->ctx, w->pid, fd)
		       : 0;
}

/* Non-zero if fn has seen enough. */
static int look_at(struct walk *w, int64_t pid)
{
	char path[32];
	int r;

	if (!nh_mark_begin(w->k->mark, pid, "open files"))
		return 0;
	w->pid = pid;
	snprintf(path, sizeof(path), "%jd/fd", (intmax_t)pid);
	r = nh_each_number(w->k->root, path, look, w);
	if (r == -EACCES || r == -EPERM) {
		w->refused++;
		w->refused_pid = pid;
	}
	return r > 0;
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

bool nh_each_opener(
	struct nh_collector *k, const char *path, int64_t first, nh_opener_fn *fn, void *ctx)
{
	struct walk w = { .k = k, .path = path, .fn = fn, .ctx = ctx };
	bool in_time = true;

	if (first > 0 && nh_table_find(k, first) && look_at(&w, first))
		return true;
	nh_for(e, &k->host) {
		if (e->pid == first || e->flags & PF_KTHREAD || e->state == 'Z' ||
			e->pid == k->self)
			continue;
		in_time = nh_now_ms() < k->walk_until_ms;
		if (!in_time || look_at(&w, e->pid))
			break;
	}
	say_unseen(&w, in_time);
	return in_time && !w.refused;
}
