#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/secret.h"
#include "proc/read.h"

enum { PF_KTHREAD = 0x00200000, CMDLINE_KEPT = 4096, ENVIRON_MAX = 1 << 20 };

static void take_stat(struct nh_collector *k, struct nh_process *p, const struct nh_stat *st)
{
	p->start = st->start;
	p->ppid = st->ppid;
	p->pgrp = st->pgrp;
	p->session = st->session;
	p->flags = st->flags;
	p->nthreads = st->nthreads;
	p->kthread = st->flags & PF_KTHREAD;
	p->state = nh_arena_printf(k->a, "%c", st->state);
	p->comm = nh_utf8_repair(k->a, st->comm, st->comm_len);
}

/* Whom the kernel does not let see it, it shows 0. */
static void take_exit_code(int dir, struct nh_process *p, int64_t code)
{
	if (nh_streq(p->state, "Z") && (code > 0 || nh_read_ns(dir, "ns/pid") != -EACCES))
		p->exit_code = code;
}

static int read_stat(struct nh_collector *k, int dir, struct nh_process *p)
{
	struct nh_stat st;
	char buf[1024];
	ssize_t n = nh_read_small(dir, "stat", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	if (nh_parse_stat(buf, (size_t)n, &st))
		return -EINVAL;
	take_stat(k, p, &st);
	take_exit_code(dir, p, st.exit_code);
	return 0;
}

static void read_status(struct nh_collector *k, int dir, struct nh_process *p)
{
	struct nh_status_file st;
	char buf[8192];
	ssize_t n = nh_read_small(dir, "status", buf, sizeof(buf));

	if (n < 0 || nh_parse_status(buf, (size_t)n, &st))
		return;
	p->uid = st.uid;
	p->tracer = st.tracer;
	p->caught = st.sigcgt;
	p->killed = st.killed;
	for (size_t i = 0; i < st.nnspid; i++)
		*nh_push(k->a, &p->nspid) = st.nspid[i];
}

static void read_cmdline(struct nh_collector *k, struct nh_subject *s, struct nh_process *p)
{
	char *text, *out;
	const char *previous = NULL;
	int cut = 0;
	ssize_t n = nh_read_whole(k->a, s->live, "cmdline", CMDLINE_KEPT, &text, &cut);
	size_t len = 0, cap;

	if (n < 0) {
		nh_gap_errno(k, s->pid, "command line", (int)-n, false);
		return;
	}
	/* Masking may lengthen an argument, by less than its "***". */
	cap = (size_t)n * 4 + 8;
	out = nh_new(k->a, char, cap);
	for (ssize_t i = 0; i < n;) {
		const char *arg = nh_utf8_repair(k->a, text + i, strlen(text + i));
		const char *shown = nh_mask_argument(k->a, arg, previous);

		if (len + strlen(shown) + 2 > cap)
			break;
		len += (size_t)sprintf(out + len, "%s%s", len ? " " : "", shown);
		i += (ssize_t)strlen(text + i) + 1;
		previous = arg;
	}
	if (n)
		p->cmdline = out;
	p->cmdline_cut = cut;
}

static void read_env(struct nh_collector *k, struct nh_subject *s, struct nh_process *p)
{
	struct nh_arena tmp = { 0 };
	char *text;
	ssize_t n = nh_read_whole(&tmp, s->live, "environ", ENVIRON_MAX, &text, NULL);

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(text + i) + 1) {
		char *eq = strchr(text + i, '=');
		char name[128];

		if (!eq || (size_t)(eq - text - i) >= sizeof(name))
			continue;
		memcpy(name, text + i, (size_t)(eq - text - i));
		name[eq - text - i] = 0;
		if (nh_env_allowed(name)) {
			const char *whole = nh_utf8_repair(k->a, text + i, strlen(text + i));

			*nh_push(k->a, &p->env) = nh_mask_argument(k->a, whole, NULL);
		}
	}
	nh_arena_free(&tmp);
}

/* ELF class of the executable: compat processes number their system calls differently. */
static void read_bits(struct nh_subject *s, struct nh_process *p)
{
	unsigned char ident[5];
	nh_auto_close int fd = openat(s->live, "exe", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && pread(fd, ident, sizeof(ident), 0) == sizeof(ident) &&
		!memcmp(ident, "\177ELF", 4))
		p->bits = ident[4] == 1 ? 32 : 64;
}

static void read_exe(struct nh_collector *k, struct nh_subject *s, struct nh_process *p)
{
	static const char deleted[] = " (deleted)";
	char link[4097];
	ssize_t n = nh_read_link(s->live, "exe", link, sizeof(link));

	if (n <= 0)
		return;
	p->exe_deleted = nh_ends_with(link, deleted);
	if (p->exe_deleted)
		n -= (ssize_t)sizeof(deleted) - 1;
	p->exe = nh_utf8_repair(k->a, link, (size_t)n);
}

static const char *cgroup_of(
	struct nh_collector *k, const char *buf, size_t n, const char *controller)
{
	struct nh_text path;

	return nh_parse_cgroup(buf, n, controller, &path) ? nh_utf8_repair(k->a, path.s, path.n)
							  : NULL;
}

static void read_cgroup(struct nh_collector *k, struct nh_subject *s, struct nh_process *p)
{
	char buf[8192];
	ssize_t n = nh_read_small(s->dir, "cgroup", buf, sizeof(buf));

	if (n <= 0)
		return;
	p->cgroup = cgroup_of(k, buf, (size_t)n, "");
	p->cgroup_freezer = cgroup_of(k, buf, (size_t)n, "freezer");
	p->cgroup_memory = cgroup_of(k, buf, (size_t)n, "memory");
}

static int64_t known(int64_t v)
{
	return v < 0 ? NH_UNKNOWN : v;
}

static void read_namespaces(struct nh_subject *s, struct nh_process *p)
{
	p->ns_pid = known(nh_read_ns(s->live, "ns/pid"));
	p->ns_net = known(nh_read_ns(s->live, "ns/net"));
	p->ns_mnt = known(nh_read_ns(s->live, "ns/mnt"));
	s->netns = p->ns_net;
}

/* Since Linux 6.2 the size of the fd directory is the number of descriptors. */
static void count_fds(struct nh_subject *s, struct nh_process *p)
{
	struct stat st;

	if (!fstatat(s->live, "fd", &st, 0) && st.st_size > 0)
		p->nfds = st.st_size;
}

void nh_read_process(struct nh_collector *k, struct nh_subject *s)
{
	struct nh_process *p = nh_case_row(k->c, process, processes);
	int r = nh_mark_begin(k->mark, s->pid, "stat") ? read_stat(k, s->dir, p) : -EBUSY;

	p->sample = k->sample;
	p->pid = s->pid;
	p->why = s->why;
	if (r) {
		k->c->processes.n--;
		s->ended = true;
		nh_gap_errno(k, s->pid, "process", -r, false);
		return;
	}
	read_status(k, s->dir, p);
	read_namespaces(s, p);
	read_cgroup(k, s, p);
	read_exe(k, s, p);
	count_fds(s, p);
	if (nh_mark_begin(k->mark, s->pid, "cmdline"))
		read_cmdline(k, s, p);
	if (nh_mark_begin(k->mark, s->pid, "environ"))
		read_env(k, s, p);
	if (nh_mark_begin(k->mark, s->pid, "exe"))
		read_bits(s, p);
	if (p->bits == 32)
		nh_gap_said(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid), "system calls",
			"it is a 32-bit process: its system call numbers are not decoded", NULL,
			true);
}

void nh_read_identity(struct nh_collector *k, const struct nh_entry *e, int why)
{
	char path[32];
	struct nh_process *p;

	nh_for(row, &k->c->processes)
		if (row->pid == e->pid && row->sample == k->sample)
			return;
	snprintf(path, sizeof(path), "%jd", (intmax_t)e->pid);
	nh_auto_close int dir = nh_dir_open(k->root, path);

	p = nh_case_row(k->c, process, processes);
	p->sample = k->sample;
	p->pid = e->pid;
	p->why = why;
	if (dir < 0 || read_stat(k, dir, p)) {
		k->c->processes.n--;
		return;
	}
	read_status(k, dir, p);
}
