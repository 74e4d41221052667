/*
 * A thread blocked opening a FIFO.  No descriptor of it exists yet, so the file is found by the
 * path the thread gave, as its process resolves it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/filesystem.h"
#include "know/wait.h"
#include "proc/read.h"

struct opening {
	char base[48]; /* in /proc/PID: what the path is relative to */
	char path[PATH_MAX];
	const char *mode; /* what it opens it for: "r" or "w" */
};

static int read_opening(struct nh_collector *k, struct nh_subject *s, const struct nh_thread *t,
	struct opening *ret)
{
	struct nh_mem m = { .pid = t->tid, .dir = s->dir };
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	bool at = nh_streq(w.call, "openat");
	int dir = at ? (int32_t)t->args.v[0] : AT_FDCWD;
	int r = nh_read_text(&m, t->args.v[at ? 1 : 0], ret->path);

	if (r)
		return r;
	ret->mode = (t->args.v[at ? 2 : 1] & O_ACCMODE) == O_WRONLY ? "w" : "r";
	if (*ret->path == '/')
		snprintf(ret->base, sizeof(ret->base), "root");
	else if (dir == AT_FDCWD)
		snprintf(ret->base, sizeof(ret->base), "task/%jd/cwd", (intmax_t)t->tid);
	else
		snprintf(ret->base, sizeof(ret->base), "task/%jd/fd/%d", (intmax_t)t->tid, dir);
	return 0;
}

/*
 * As the process would find it, links included; O_PATH opens nothing.  A link may lead to another
 * file system than the path's text says, so only what the kernel has in memory counts: no server is
 * asked and nothing is mounted, and the thread in its call keeps its file there.  Linux before 5.12
 * does not know that flag: no link is followed then.  A descriptor or -1.
 */
static int find(struct nh_subject *s, const struct opening *o)
{
	uint64_t root = *o->path == '/' ? RESOLVE_IN_ROOT : 0;
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = root | RESOLVE_CACHED };
	nh_auto_close int base = openat(s->dir, o->base, O_PATH | O_CLOEXEC | O_DIRECTORY);
	int fd;

	if (base < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, base, o->path, &how, sizeof(how));
	if (fd >= 0 || errno != EINVAL)
		return fd;
	how.resolve = root | RESOLVE_NO_SYMLINKS;
	return (int)syscall(SYS_openat2, base, o->path, &how, sizeof(how));
}

/* Whether the thread is still in that very call. */
static bool still_there(struct nh_subject *s, const struct nh_thread *t)
{
	char path[48], buf[256];
	struct nh_syscall sc;

	snprintf(path, sizeof(path), "task/%jd/syscall", (intmax_t)t->tid);

	ssize_t n = nh_read_small(s->dir, path, buf, sizeof(buf));

	return n > 0 && !nh_parse_syscall(buf, (size_t)n, &sc) && !sc.running && sc.nr == t->nr &&
	       !memcmp(sc.args, t->args.v, sizeof(sc.args)) && sc.sp == t->sp;
}

void nh_read_opening(struct nh_collector *k, struct nh_subject *s, const struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	struct opening o;
	char self[32], link[4097];

	/* Whoever looks for a path on a file system whose server is silent hangs with the thread,
	 * and where its text leads is known by the mount table alone. */
	if (!t->fstype || nh_fs_of_type(t->fstype) || nh_fs_of_thread(t))
		return;
	if (k->recorded || !nh_streq(t->state, "S") ||
		(!nh_streq(w.call, "open") && !nh_streq(w.call, "openat")) ||
		!nh_mark_begin(k->mark, t->pid, "the FIFO that a thread opens") ||
		read_opening(k, s, t, &o))
		return;

	nh_auto_close int fd = find(s, &o);

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);

	ssize_t n = fd < 0 ? -1 : nh_read_link(AT_FDCWD, self, link, sizeof(link));

	if (n > 0 && still_there(s, t))
		nh_fifo_record_opening(k, t, fd, o.mode, nh_utf8_repair(k->a, link, (size_t)n));
}
