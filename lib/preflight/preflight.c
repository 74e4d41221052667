#include "preflight/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "know/evidence_env.h"
#include "preflight/internal.h"
#include "proc/parse.h"
#include "proc/read.h"

enum { ENVIRON_MAX = 1 << 20 };

struct nh_check *nh_check_add(
	struct nh_flying *f, enum nh_check_state state, const char *what, const char *fmt, ...)
{
	struct nh_check *c = nh_push(f->a, &f->p->checks);
	const char *fact;
	va_list ap;

	va_start(ap, fmt);
	fact = nh_arena_vprintf(f->a, fmt, ap);
	va_end(ap);
	/* Paths and values are some process's choice. */
	*c = (struct nh_check){ .state = state, .what = what };
	c->fact = nh_utf8_repair(f->a, fact, strlen(fact));
	return c;
}

const char *nh_flying_env(const struct nh_flying *f, const char *name)
{
	return nh_environ_get(f->env, f->env_len, name);
}

const char *nh_flying_path(const struct nh_flying *f, const char *path)
{
	const char *base = *path == '/' ? "root" : "cwd/";

	return nh_arena_printf(f->a, "/proc/self/fd/%d/%s%s", f->dir, base, path);
}

static int read_environ(struct nh_flying *f, struct nh_err *err)
{
	char *text;
	ssize_t n = nh_read_whole(f->a, f->dir, "environ", ENVIRON_MAX, &text, NULL);

	if (n < 0)
		return nh_fail(err, (int)n, "%s: cannot read its environment: %s%s", f->p->subject,
			strerror((int)-n), n == -EACCES ? " (sudo may)" : "");
	f->env = text;
	f->env_len = (size_t)n;
	return 0;
}

/* Files are written with the rights of the process, not with ours. */
static void read_owner(struct nh_flying *f)
{
	struct nh_status_file st;
	char buf[8192];
	ssize_t n = nh_read_small(f->dir, "status", buf, sizeof(buf));
	const char *gid = n > 0 ? strstr(buf, "\nGid:") : NULL;

	f->uid = n > 0 && !nh_parse_status(buf, (size_t)n, &st) ? st.uid : NH_UNKNOWN;
	f->gid = gid ? strtoll(gid + 5, NULL, 10) : NH_UNKNOWN;
}

static const char *subject_of(struct nh_arena *a, int64_t pid, char *const *command)
{
	const char *s = "this environment";

	if (pid != NH_UNKNOWN)
		return nh_arena_printf(a, "pid %jd", (intmax_t)pid);
	for (size_t i = 0; command[i]; i++)
		s = nh_arena_printf(a, "%s%s%s", s, i ? " " : ", for: ",
			nh_shell_quote(a, nh_utf8_repair(a, command[i], strlen(command[i]))));
	return s;
}

int nh_preflight(struct nh_arena *a, int64_t pid, char *const *command, struct nh_preflight *ret,
	struct nh_err *err)
{
	struct nh_flying f = { .p = ret, .a = a, .command = command, .torch = NH_UNKNOWN };
	char path[32] = "/proc/self";
	int r;

	*ret = (struct nh_preflight){ .a = a, .pid = pid, .subject = subject_of(a, pid, command) };
	if (pid != NH_UNKNOWN)
		snprintf(path, sizeof(path), "/proc/%jd", (intmax_t)pid);
	nh_auto_close int dir = nh_dir_open(AT_FDCWD, path);

	if (dir < 0)
		return nh_fail(err, dir == -ENOENT ? -ESRCH : dir, "%s: %s", ret->subject,
			dir == -ENOENT ? "no such process" : strerror(-dir));
	f.dir = dir;
	r = read_environ(&f, err);
	if (r)
		return r;
	read_owner(&f);
	nh_find_libraries(&f);
	nh_check_vars(&f);
	nh_check_dump_path(&f);
	nh_check_rights(&f);
	nh_check_core(&f);
	nh_check_nccl(&f);
	nh_check_start_method(&f);
	nh_check_room(&f);
	return 0;
}
