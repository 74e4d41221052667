/*
 * Calls on files: what lies behind a path or a descriptor is told from the process's own mount
 * table by text and number.  The file itself is never touched: whoever looks at a dead mount hangs
 * too.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "collect/internal.h"
#include "know/wait.h"
#include "proc/read.h"

enum { MOUNTS_MAX = 1 << 22, FRAMES_MAX = 32, PAGE = 4096 };

/* Page by page, as what follows the last one may not be mapped. */
int nh_read_text(const struct nh_mem *m, uint64_t addr, char buf[PATH_MAX])
{
	for (size_t n = 0; n < PATH_MAX;) {
		/* A recording tells what it has only byte by byte. */
		size_t chunk = m->recorded ? 1 : PAGE - (addr + n) % PAGE;
		int r;

		if (chunk > PATH_MAX - n)
			chunk = PATH_MAX - n;
		r = nh_mem_read(m, addr + n, buf + n, chunk);
		if (r)
			return r;
		if (memchr(buf + n, 0, chunk))
			return 0;
		n += chunk;
	}
	return -ENAMETOOLONG;
}

/* A relative path and what it is relative to, by the link of procfs: its text asks nobody. */
static const char *make_absolute(
	struct nh_collector *k, int dir, const char *task, int64_t at, const char *path)
{
	char name[64], base[PATH_MAX];
	ssize_t n;

	if (at == AT_FDCWD)
		snprintf(name, sizeof(name), "%s/cwd", task);
	else
		snprintf(name, sizeof(name), "%s/fd/%jd", task, (intmax_t)at);
	n = nh_read_link(dir, name, base, sizeof(base));
	if (n < 0 || *base != '/')
		return path;
	return *path ? nh_arena_printf(k->a, "%s%s%s", nh_utf8_repair(k->a, base, (size_t)n),
			       n > 1 ? "/" : "", path)
		     : nh_utf8_repair(k->a, base, (size_t)n);
}

int nh_read_path(struct nh_collector *k, int dir, const char *task, const struct nh_mem *m,
	struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	char buf[PATH_MAX];
	int r = nh_read_text(m, w.path, buf);

	if (r)
		return r;
	t->path = nh_utf8_repair(k->a, buf, strlen(buf));
	if (*buf != '/')
		t->path = make_absolute(k, dir, task, w.dirfd, t->path);
	return 0;
}

static const char *unescaped(struct nh_collector *k, const struct nh_text *text)
{
	char *copy = nh_arena_strndup(k->a, text->s, text->n);

	return nh_utf8_repair(k->a, copy, nh_unescape_octal(copy, text->n));
}

static void read_mounts(struct nh_collector *k, struct nh_subject *s)
{
	struct nh_arena tmp = { 0 };
	struct nh_mountinfo m;
	char *text = NULL;
	ssize_t n = -EBUSY;

	if (s->mounts_in == k->sample)
		return;
	s->mounts_in = k->sample;
	s->mounts.n = 0;
	if (nh_mark_begin(k->mark, s->pid, "mount table"))
		n = nh_read_whole(&tmp, s->live, "mountinfo", MOUNTS_MAX, &text, NULL);
	for (size_t pos = 0; n > 0 && nh_parse_mount(text, (size_t)n, &pos, &m) > 0;)
		*nh_push(k->a, &s->mounts) = (struct nh_mount){ m.id, unescaped(k, &m.point),
			unescaped(k, &m.fstype), unescaped(k, &m.source) };
	nh_arena_free(&tmp);
	if (n < 0)
		nh_gap_errno(k, s->pid, "mount table", (int)-n, false);
}

/* The later of two mounts on one point covers the other. */
static const struct nh_mount *mount_of_path(const struct nh_subject *s, const char *path)
{
	const struct nh_mount *best = NULL;
	size_t longest = 0;

	/* Where that leads depends on links. */
	if (*path != '/' || strstr(path, "/../"))
		return NULL;
	nh_for(m, &s->mounts) {
		size_t n = strlen(m->point);

		if (n == 1)
			n = 0;
		if (n >= longest && !strncmp(path, m->point, n) && (!path[n] || path[n] == '/')) {
			best = m;
			longest = n;
		}
	}
	return best;
}

static const struct nh_mount *mount_of_fd(
	struct nh_subject *s, const struct nh_thread *t, int64_t fd)
{
	struct nh_fdinfo info;
	char path[64], buf[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "task/%jd/fdinfo/%jd", (intmax_t)t->tid, (intmax_t)fd);
	n = nh_read_small(s->dir, path, buf, sizeof(buf));
	if (n <= 0 || nh_parse_fdinfo(buf, (size_t)n, &info) || info.mnt_id == NH_UNKNOWN)
		return NULL;
	nh_for(m, &s->mounts)
		if (m->id == info.mnt_id)
			return m;
	return NULL;
}

/* The descriptor's row, if it is one of a file.  It was recorded a moment ago: one of the last. */
static struct nh_fd *file_row(struct nh_collector *k, const struct nh_thread *t, int64_t fd)
{
	for (size_t i = k->c->fds.n; i-- > 0;) {
		struct nh_fd *row = &k->c->fds.v[i];

		if (row->sample == k->sample && row->pid == t->pid && row->fd == fd &&
			row->tid == (t->own_fds ? t->tid : NH_UNKNOWN))
			return row->kind == NH_FD_FILE ? row : NULL;
	}
	return NULL;
}

static void read_kernel(struct nh_collector *k, struct nh_subject *s, struct nh_thread *t)
{
	char path[48], buf[8192];
	struct nh_text f;
	ssize_t n;

	snprintf(path, sizeof(path), "task/%jd/stack", (intmax_t)t->tid);
	if (!nh_mark_begin(k->mark, t->tid, "kernel stack"))
		return;
	n = nh_read_small(s->dir, path, buf, sizeof(buf));
	if (n == -EACCES || n == -EPERM)
		nh_gap_minor(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid), "kernel stacks",
			(int)-n);
	for (size_t pos = 0; n > 0 && t->kernel.n < FRAMES_MAX &&
			     nh_parse_kernel_frame(buf, (size_t)n, &pos, &f) > 0;)
		*nh_push(k->a, &t->kernel) = nh_utf8_repair(k->a, f.s, f.n);
}

void nh_read_file(struct nh_collector *k, struct nh_subject *s, struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	struct nh_fd *file = w.fd >= 0 ? file_row(k, t, w.fd) : NULL;
	const struct nh_mount *m;

	t->kernel.n = 0;
	t->fstype = t->mount = t->source = NULL;
	if (t->path || file)
		read_mounts(k, s);
	m = t->path ? mount_of_path(s, t->path) : NULL;
	if (m) {
		t->fstype = m->fstype;
		t->mount = m->point;
		t->source = m->source;
	}
	m = file ? mount_of_fd(s, t, w.fd) : NULL;
	if (m) {
		file->fstype = m->fstype;
		file->mount = m->point;
		file->source = m->source;
	}
	if (nh_streq(t->state, "D") || w.kind == NH_WAIT_FILE || file)
		read_kernel(k, s, t);
}
