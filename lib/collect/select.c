#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "collect/internal.h"
#include "know/nccl.h"
#include "proc/read.h"

enum { PF_KTHREAD = 0x00200000, ENVIRON_MAX = 1 << 20, MAPS_MAX = 64 << 20 };

struct live_thread {
	struct nh_collector *k;
	struct nh_subject *s;
};

/* The first thread that still runs under a leader that has ended.  /proc/TID exists although it is
 * not listed, and shows the process as that thread sees it. */
static int live_thread(void *ctx, int dirfd, int64_t tid)
{
	struct live_thread *l = ctx;
	struct nh_stat st;
	char path[48], buf[1024];

	snprintf(path, sizeof(path), "%jd/stat", (intmax_t)tid);

	ssize_t n = nh_read_small(dirfd, path, buf, sizeof(buf));

	if (n <= 0 || nh_parse_stat(buf, (size_t)n, &st) || st.state == 'Z' || st.state == 'X')
		return 0;
	snprintf(path, sizeof(path), "%jd", (intmax_t)tid);

	int dir = nh_dir_open(l->k->root, path);

	if (dir < 0)
		return 0;
	l->s->live = dir;
	l->s->live_tid = tid;
	return 1;
}

struct nh_subject *nh_subject_add(struct nh_collector *k, int64_t pid, int why)
{
	const struct nh_entry *e = nh_table_find(k, pid);
	char path[32];

	if (!e || !nh_set_add(k->a, &k->subject_pids, (uint64_t)pid))
		return NULL;
	snprintf(path, sizeof(path), "%jd", (intmax_t)pid);

	int dir = nh_dir_open(k->root, path);

	if (dir < 0)
		return NULL;

	struct nh_subject *s = nh_push(k->a, &k->subjects);

	*s = (struct nh_subject){ .pid = pid,
		.start = e->start,
		.why = why,
		.dir = dir,
		.live = dir,
		.live_tid = pid,
		.netns = NH_UNKNOWN,
		.nccl = NH_UNKNOWN };
	if (e->state == 'Z')
		nh_each_number(dir, "task", live_thread, &(struct live_thread){ k, s });
	return s;
}

static bool is_subject(const struct nh_collector *k, int64_t pid)
{
	return nh_set_has(&k->subject_pids, (uint64_t)pid);
}

void nh_select_descendants(struct nh_collector *k)
{
	/* A child may have a lower pid than its parent, so sweep until nothing is added. */
	for (bool more = true; more;) {
		more = false;
		nh_for(e, &k->host) {
			if (e->pid != k->self && e->pid != k->parent && is_subject(k, e->ppid) &&
				!is_subject(k, e->pid)) {
				const struct nh_subject *p = k->subjects.v;

				while (p->pid != e->ppid)
					p++;
				if (p->why != NH_WHY_HOLDER && p->why != NH_WHY_ANCESTOR)
					more |= nh_subject_add(k, e->pid, NH_WHY_DESCENDANT) !=
						NULL;
			}
		}
	}
}

/* RANK and WORLD_SIZE among the NUL-separated variables: what every launcher sets. */
static bool has_rank(const char *env, size_t n)
{
	bool rank = false, world = false;

	for (size_t i = 0; i < n; i += strlen(env + i) + 1) {
		rank |= nh_starts_with(env + i, "RANK=");
		world |= nh_starts_with(env + i, "WORLD_SIZE=");
	}
	return rank && world;
}

static bool maps_training_library(const char *maps, size_t n)
{
	struct nh_map m;
	char path[512];

	for (size_t pos = 0; nh_parse_map(maps, n, &pos, &m) > 0;) {
		if (!m.path_len || m.path[0] != '/' || m.path_len >= sizeof(path))
			continue;
		memcpy(path, m.path, m.path_len);
		path[m.path_len] = 0;
		if (nh_is_training_library(path))
			return true;
	}
	return false;
}

/* 1 = a training process, 0 = not, negative errno = could not be examined. */
static int examine(struct nh_collector *k, int64_t pid)
{
	struct nh_arena tmp = { 0 };
	char path[40], *text;
	int r = 0;

	snprintf(path, sizeof(path), "%jd/environ", (intmax_t)pid);

	ssize_t n = nh_mark_begin(k->mark, pid, "environ")
			    ? nh_read_whole(&tmp, k->root, path, ENVIRON_MAX, &text, NULL)
			    : -EBUSY;

	if (n < 0)
		r = (int)n;
	else if (has_rank(text, (size_t)n))
		r = 1;
	if (!r) {
		snprintf(path, sizeof(path), "%jd/maps", (intmax_t)pid);
		n = nh_mark_begin(k->mark, pid, "maps")
			    ? nh_read_whole(&tmp, k->root, path, MAPS_MAX, &text, NULL)
			    : -EBUSY;
		r = n < 0 ? (int)n : maps_training_library(text, (size_t)n);
	}
	nh_arena_free(&tmp);
	return r;
}

static void search_host(struct nh_collector *k)
{
	int64_t refused = 0, example = 0;
	const char *why, *grant;

	nh_for(e, &k->host) {
		if (e->flags & PF_KTHREAD || e->state == 'Z' || e->pid == k->self ||
			e->pid == k->parent)
			continue;

		int r = examine(k, e->pid);

		if (r > 0)
			nh_subject_add(k, e->pid, NH_WHY_FOUND);
		else if (r < 0 && r != -ENOENT && r != -ESRCH) {
			refused++;
			example = e->pid;
		}
	}
	k->c->unexamined = refused;
	if (!refused)
		return;
	grant = nh_grant(k, NH_UNKNOWN, &why);
	nh_gap_said(k, nh_some_pids(k, refused, example), "whether this is a training process", why,
		grant, true);
}

int nh_select(struct nh_collector *k)
{
	for (size_t i = 0; i < k->o->npids; i++) {
		const struct nh_entry *e = nh_table_find(k, k->o->pids[i]);
		const char *subject = nh_arena_printf(k->a, "pid %jd", (intmax_t)k->o->pids[i]);

		if (!e) {
			nh_gap_said(k, subject, "process", "no such process", NULL, false);
		} else if (e->flags & PF_KTHREAD) {
			nh_gap_said(k, subject, "user-space state",
				"it is a kernel thread: it has none", NULL, false);
			nh_read_identity(k, e, NH_WHY_TARGET);
		} else {
			nh_subject_add(k, e->pid, NH_WHY_TARGET);
		}
	}
	if (!k->o->npids)
		search_host(k);
	nh_select_descendants(k);
	return 0;
}
