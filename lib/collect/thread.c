#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/mutex.h"
#include "know/rwlock.h"
#include "proc/read.h"

enum {
	RETRIES = 4,	  /* a thread that keeps moving is recorded as running */
	POLL_MAX = 4096,  /* slots of a poll set that are read */
	WAITS_MAX = 4096, /* descriptors of one thread's wait that are recorded */
	EPOLL_TEXT = 1 << 20,
};

/* What brackets a memory read: the same system call line and no context switch in between. */
struct bracket {
	char line[256];
	size_t len;
	int64_t vcsw, nvcsw;
	struct nh_status_file status;
};

static int read_bracket(int dir, const char *task, struct bracket *b)
{
	char path[64], buf[8192];

	snprintf(path, sizeof(path), "%s/syscall", task);

	ssize_t n = nh_read_small(dir, path, b->line, sizeof(b->line));

	if (n < 0)
		return (int)n;
	b->len = (size_t)n;
	snprintf(path, sizeof(path), "%s/status", task);
	n = nh_read_small(dir, path, buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	return nh_parse_status(buf, (size_t)n, &b->status);
}

static bool same(const struct bracket *a, const struct bracket *b)
{
	return a->len == b->len && !memcmp(a->line, b->line, a->len) &&
	       a->status.vcsw == b->status.vcsw && a->status.nvcsw == b->status.nvcsw;
}

static void add_wait(
	struct nh_collector *k, struct nh_thread *t, int64_t slot, int64_t fd, int64_t events)
{
	if (fd >= 0 && t->waits.n < WAITS_MAX)
		*nh_push(k->a, &t->waits) = (struct nh_pollfd){ slot, fd, events };
}

static int read_poll(struct nh_collector *k, const struct nh_mem *m, struct nh_thread *t,
	const struct nh_wait *w)
{
	struct pollfd fds[POLL_MAX];
	size_t n = w->nfds < POLL_MAX ? (size_t)w->nfds : POLL_MAX;
	int r = n ? nh_mem_read(m, w->addr, fds, n * sizeof(*fds)) : 0;

	for (size_t i = 0; !r && i < n; i++)
		add_wait(k, t, (int64_t)i, fds[i].fd, fds[i].events & 0xffff);
	if (!r && nh_streq(w->call, "ppoll") && t->args.v[2]) {
		struct {
			int64_t sec, nsec;
		} ts;

		/* The kernel writes the rest back only on return: this is what was asked for. */
		if (!nh_mem_read(m, t->args.v[2], &ts, sizeof(ts)) && ts.sec < INT32_MAX)
			t->timeout_ms = ts.sec * 1000 + ts.nsec / 1000000;
	}
	return r;
}

static int read_select(struct nh_collector *k, const struct nh_mem *m, struct nh_thread *t,
	const struct nh_wait *w)
{
	static const int events[] = { POLLIN, POLLOUT, POLLPRI };
	size_t bytes = (w->nfds < POLL_MAX ? (size_t)w->nfds + 63 : POLL_MAX) / 64 * 8;

	for (int set = 0; set < 3; set++) {
		uint64_t bits[POLL_MAX / 64 + 1];
		int r = t->args.v[set + 1] ? nh_mem_read(m, t->args.v[set + 1], bits, bytes) : 0;

		if (r)
			return r;
		for (int64_t fd = 0; t->args.v[set + 1] && fd < (int64_t)bytes * 8; fd++)
			if (bits[fd / 64] >> (fd % 64) & 1)
				add_wait(k, t, fd, fd, events[set]);
	}
	return 0;
}

static int read_epoll(
	struct nh_collector *k, int dir, const char *task, struct nh_thread *t, int64_t epfd)
{
	struct nh_arena tmp = { 0 };
	char path[96], *text;
	size_t pos = 0;
	int64_t fd, slot = 0;
	uint64_t events;

	snprintf(path, sizeof(path), "%s/fdinfo/%jd", task, (intmax_t)epfd);

	ssize_t n = nh_read_whole(&tmp, dir, path, EPOLL_TEXT, &text, NULL);

	while (n > 0 && nh_parse_fdinfo_epoll(text, (size_t)n, &pos, &fd, &events) > 0)
		add_wait(k, t, slot++, fd, (int64_t)(events & 0xffff));
	nh_arena_free(&tmp);
	return n < 0 ? (int)n : 0;
}

/* The words of what a futex may be part of; which it is, analysis tells. */
static void read_lock(struct nh_collector *k, const struct nh_mem *m, struct nh_thread *t,
	const struct nh_wait *w)
{
	uint32_t mutex[NH_MUTEX_WORDS], rwlock[NH_RWLOCK_READ];

	if (nh_mutex_is_wait(w) && !nh_mem_read(m, w->addr, mutex, sizeof(mutex)))
		for (size_t i = 0; i < NH_MUTEX_WORDS; i++)
			*nh_push(k->a, &t->mutex) = mutex[i];
	if (nh_rwlock_is_wait(w) && !nh_mem_read(m, w->addr - NH_RWLOCK_BEFORE * sizeof(*rwlock),
					    rwlock, sizeof(rwlock)))
		for (size_t i = 0; i < NH_RWLOCK_READ; i++)
			*nh_push(k->a, &t->rwlock) = rwlock[i];
}

/* The memory that says what a blocked thread waits for. */
static int read_wait(struct nh_collector *k, int dir, const char *task, const struct nh_mem *m,
	struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(k->c->machine, t);
	bool in_memory = w.kind == NH_WAIT_FUTEX || w.kind == NH_WAIT_POLL ||
			 w.kind == NH_WAIT_SELECT || w.path;
	uint32_t word;
	int r;

	if (in_memory && !nh_mark_begin(k->mark, t->pid, "memory"))
		return -EBUSY;
	switch (w.kind) {
	case NH_WAIT_FUTEX:
		r = nh_mem_read(m, w.addr, &word, sizeof(word));
		if (!r)
			t->futex_word = word;
		if (!r)
			read_lock(k, m, t, &w);
		return r;
	case NH_WAIT_POLL:
		return read_poll(k, m, t, &w);
	case NH_WAIT_SELECT:
		return read_select(k, m, t, &w);
	case NH_WAIT_EPOLL:
		return read_epoll(k, dir, task, t, w.fd);
	case NH_WAIT_READ:
	case NH_WAIT_WRITE:
	case NH_WAIT_ACCEPT:
	case NH_WAIT_CONNECT:
		add_wait(k, t, 0, w.fd, w.kind == NH_WAIT_WRITE ? POLLOUT : POLLIN);
		return 0;
	case NH_WAIT_FILE:
		add_wait(k, t, 0, w.fd, 0);
		return w.path ? nh_read_path(k, dir, task, m, t) : 0;
	default:
		if (nh_streq(w.call, "ioctl"))
			add_wait(k, t, 0, w.fd, 0);
		return 0;
	}
}

static void take_syscall(struct nh_collector *k, struct nh_thread *t, const struct bracket *b)
{
	struct nh_syscall sc;

	t->nr = NH_UNKNOWN;
	t->futex_word = NH_UNKNOWN;
	t->timeout_ms = NH_UNKNOWN;
	t->args.n = t->waits.n = t->mutex.n = t->rwlock.n = 0;
	t->sp = t->pc = 0;
	t->path = NULL;
	t->running = true;
	if (nh_parse_syscall(b->line, b->len, &sc) || sc.running)
		return;
	t->running = false;
	t->nr = sc.nr;
	t->sp = sc.sp;
	t->pc = sc.pc;
	for (int i = 0; sc.nr >= 0 && i < 6; i++)
		*nh_push(k->a, &t->args) = sc.args[i];
}

/* Reads until two readings around the memory agree.  0, or the error that hid it. */
static int read_blocked(struct nh_collector *k, int dir, const char *task, const struct nh_mem *m,
	struct nh_thread *t)
{
	struct bracket before, after;
	int r = read_bracket(dir, task, &before);

	for (int tries = 0; !r && tries < RETRIES; tries++) {
		take_syscall(k, t, &before);
		t->vcsw = before.status.vcsw;
		t->nvcsw = before.status.nvcsw;
		if (before.status.nnspid)
			t->nstid = before.status.nspid[before.status.nnspid - 1];
		if (t->running)
			return 0;

		int hidden = read_wait(k, dir, task, m, t);

		r = read_bracket(dir, task, &after);
		if (!r && same(&before, &after))
			return hidden;
		before = after;
	}
	if (!r) {
		/* It woke up every time: what it waits in would be a guess. */
		take_syscall(k, t, &(struct bracket){ .line = "running", .len = 7 });
		t->state = "R";
	}
	return r;
}

static void read_names(struct nh_collector *k, int dir, const char *task, struct nh_thread *t)
{
	struct nh_stat st;
	char path[64], buf[1024];

	snprintf(path, sizeof(path), "%s/stat", task);

	ssize_t n = nh_read_small(dir, path, buf, sizeof(buf));

	if (n > 0 && !nh_parse_stat(buf, (size_t)n, &st)) {
		t->comm = nh_utf8_repair(k->a, st.comm, st.comm_len);
		t->state = nh_arena_printf(k->a, "%c", st.state);
		t->start = st.start;
		t->utime = st.utime;
		t->stime = st.stime;
	}
	snprintf(path, sizeof(path), "%s/wchan", task);
	n = nh_read_small(dir, path, buf, sizeof(buf));
	if (n > 0 && strcmp(buf, "0") != 0)
		t->wchan = nh_utf8_repair(k->a, buf, (size_t)n);
}

struct reading {
	struct nh_collector *k;
	struct nh_subject *s;
	bool compat; /* 32-bit: arguments and memory have another layout */
	int hidden;  /* the last error that hid a thread's wait */
	int64_t nhidden;
};

/* Fills a row whose identity is set; false if the thread has ended. */
static bool fill(struct reading *rd, struct nh_thread *t)
{
	struct nh_collector *k = rd->k;
	struct nh_mem m = { .pid = t->tid, .dir = rd->s->dir, .recorded = k->recorded };
	char task[32];
	int r;

	snprintf(task, sizeof(task), "task/%jd", (intmax_t)t->tid);
	read_names(k, rd->s->dir, task, t);
	if (!t->state)
		return false;
	t->own_fds = nh_has_own_fds(k, rd->s->pid, t->tid);
	if (*t->state == 'Z' || *t->state == 'X' || rd->compat)
		return true;
	r = read_blocked(k, rd->s->dir, task, &m, t);
	if (r == -ENOENT || r == -ESRCH)
		return false;
	if (r) {
		rd->hidden = -r;
		rd->nhidden++;
	}
	nh_resolve_waits(k, rd->s, t);
	nh_read_file(k, rd->s, t);
	nh_read_opening(k, rd->s, t);
	return true;
}

static int read_thread(void *ctx, int taskdir, int64_t tid)
{
	struct reading *rd = ctx;
	struct nh_thread *t;

	(void)taskdir;
	if (!nh_mark_begin(rd->k->mark, tid, "thread"))
		return 0;
	t = nh_case_row(rd->k->c, thread, threads);
	t->sample = rd->k->sample;
	t->pid = rd->s->pid;
	t->tid = t->nstid = tid;
	if (!fill(rd, t))
		rd->k->c->threads.n--;
	return 0;
}

void nh_reread_running(struct nh_collector *k)
{
	/* A thread that wakes twice a second to look around was met on its feet. */
	static const int pause_ms[] = { 2, 9 };

	if (k->recorded)
		return;
	for (size_t pass = 0; pass < sizeof(pause_ms) / sizeof(*pause_ms); pass++) {
		bool slept = false;

		nh_for(t, &k->c->threads) {
			struct reading rd = { .k = k };

			if (!t->running || t->sample != k->sample)
				continue;
			nh_for(s, &k->subjects)
				if (s->pid == t->pid)
					rd.s = s;
			if (!rd.s || !nh_mark_begin(k->mark, t->tid, "thread"))
				continue;
			if (!slept)
				nh_sleep_ms(pause_ms[pass]);
			slept = true;
			fill(&rd, t);
		}
	}
}

void nh_read_threads(struct nh_collector *k, struct nh_subject *s)
{
	struct reading rd = { .k = k, .s = s };

	nh_for(p, &k->c->processes)
		if (p->pid == s->pid && p->sample == k->sample)
			rd.compat = p->bits == 32;

	int r = nh_each_number(s->dir, "task", read_thread, &rd);

	if (r < 0)
		nh_gap_errno(k, s->pid, "threads", -r, true);
	if (rd.nhidden)
		nh_gap_errno(k, s->pid,
			rd.nhidden == 1 ? "what one thread waits for"
					: nh_arena_printf(k->a, "what %jd threads wait for",
						  (intmax_t)rd.nhidden),
			rd.hidden, true);
}
