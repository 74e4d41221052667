#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/evidence_env.h"
#include "know/lock_file.h"
#include "proc/read.h"

/*
 * Lock files of threads that wait for one to go away.  Which file it is, a sleeping thread does not
 * tell: every one where its library has them is a candidate.
 */
enum { ENVIRON_MAX = 1 << 20, ENTRIES_MAX = 256, FOUND_MAX = 64, OPENERS_MAX = 16 };

struct search {
	struct nh_collector *k;
	const struct nh_thread *t;
	const struct nh_lock_user *user;
	size_t found;
};

static int on_opener(void *ctx, int64_t pid, int64_t fd)
{
	struct nh_lock_file *row = ctx;

	(void)fd;
	row->open_in.v[row->open_in.n++] = pid;
	return row->open_in.n == OPENERS_MAX;
}

/* Descriptors show the file's true path, links resolved. */
static const char *true_path(struct nh_collector *k, int fd)
{
	char path[40], link[4097];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

	ssize_t n = nh_read_link(AT_FDCWD, path, link, sizeof(link));

	return n > 0 ? nh_utf8_repair(k->a, link, (size_t)n) : NULL;
}

static void take(struct search *q, int dir)
{
	struct nh_collector *k = q->k;
	struct nh_lock_file *row;
	struct statx st;
	/* O_PATH: opens nothing, so that no driver or server is asked. */
	nh_auto_close int fd = openat(dir, q->user->file, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 ||
		statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			STATX_TYPE | STATX_MTIME | STATX_INO, &st) ||
		!S_ISREG(st.stx_mode))
		return;
	row = nh_case_row(k->c, lock_file, lock_files);
	q->found++;
	row->pid = q->t->pid;
	row->tid = q->t->tid;
	row->library = q->user->what;
	row->path = true_path(k, fd);
	row->inode = (int64_t)st.stx_ino;
	row->device = nh_arena_printf(k->a, "%02x:%02x", st.stx_dev_major, st.stx_dev_minor);
	row->mtime_ms = st.stx_mtime.tv_sec * 1000 + st.stx_mtime.tv_nsec / 1000000;
}

static void look_in(struct search *q, int at, const char *path, int levels)
{
	int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	const struct dirent *e;
	DIR *d;

	if (dir < 0)
		return;
	if (!levels)
		take(q, dir);
	d = levels ? fdopendir(dir) : NULL;
	for (int n = 0; d && n < ENTRIES_MAX && q->found < FOUND_MAX && (e = readdir(d)); n++)
		if (*e->d_name != '.')
			look_in(q, dir, e->d_name, levels - 1);
	if (d)
		closedir(d);
	else
		close(dir);
}

/* Paths are those of the process. */
static void look_at(struct search *q, const char *path, int levels)
{
	if (*path == '/')
		look_in(q, q->k->root,
			nh_arena_printf(q->k->a, "%jd/root%s", (intmax_t)q->t->pid, path), levels);
}

static void search_places(struct search *q)
{
	struct nh_arena tmp = { 0 };
	char *env, path[40];

	snprintf(path, sizeof(path), "%jd/environ", (intmax_t)q->t->pid);

	ssize_t n = nh_read_whole(&tmp, q->k->root, path, ENVIRON_MAX, &env, NULL);

	for (const struct nh_lock_place *p = q->user->places; n > 0 && p->env; p++) {
		const char *value = nh_environ_get(env, (size_t)n, p->env);

		if (!value || !*value)
			continue;
		look_at(q, nh_arena_printf(&tmp, "%s%s", value, p->under), p->levels);
		break;
	}
	nh_arena_free(&tmp);
}

/* Next to the sources of those who called it. */
static void search_beside(struct search *q, const struct nh_stack *s)
{
	const char *last = NULL;

	nh_for(f, &s->frames) {
		const char *slash = f->python && f->file ? strrchr(f->file, '/') : NULL;
		const char *dir;

		if (!slash || !q->user->beside)
			continue;
		dir = nh_arena_printf(
			q->k->a, "%.*s/%s", (int)(slash - f->file), f->file, q->user->beside);
		if (!nh_streq(dir, last))
			look_at(q, dir, 0);
		last = dir;
	}
}

/* Ranks wait for one file together: its openers are looked for once. */
static void find_openers(struct nh_collector *k, struct nh_lock_file *row)
{
	nh_for(old, &k->c->lock_files) {
		if (old == row)
			break;
		if (!nh_streq(old->path, row->path) || old->inode != row->inode)
			continue;
		row->open_in = old->open_in;
		row->searched = old->searched;
		return;
	}
	row->open_in.v = nh_new(k->a, int64_t, OPENERS_MAX);
	row->open_in.cap = OPENERS_MAX;
	if (row->path)
		row->searched = nh_each_opener(k, row->path, 0, on_opener, row);
}

void nh_read_lock_files(struct nh_collector *k)
{
	/* A recording has no files, only links to those of this host. */
	if (k->recorded)
		return;
	nh_for(t, &k->c->threads) {
		const struct nh_stack *s = NULL;
		struct search q = { .k = k, .t = t };

		nh_for(row, &k->c->stacks)
			if (row->stack == t->stack && t->stack != NH_UNKNOWN)
				s = row;
		q.user = nh_lock_user_of(s);
		/* It looks at the file several times a second itself: asleep in between (S), it is
		 * not held up by a file system's server, and neither are we. */
		if (!s || !q.user || !nh_streq(t->state, "S") ||
			!nh_mark_begin(k->mark, t->pid, "lock files"))
			continue;
		search_places(&q);
		search_beside(&q, s);
	}
	/* Afterwards, because it moves the mark. */
	nh_for(row, &k->c->lock_files)
		find_openers(k, row);
}
