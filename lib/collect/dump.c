/*
 * A flight-recorder dump of live processes, on request: by the worker server, else by the
 * recorder's FIFO.  Both leave training as it is.  The store's key that makes every rank dump is
 * never set: the job would abort.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "collect/dump_client.h"
#include "collect/internal.h"
#include "evidence/flight.h"
#include "know/env.h"
#include "know/evidence_env.h"
#include "proc/read.h"

#define WHAT "flight-recorder dump"

enum {
	ENVIRON_MAX = 1 << 20,
	DUMP_MAX = 256 << 20,
	SERVER_MS = 5000, /* given to a worker server */
	WRITE_MS = 5000,  /* given to a dump for being written */
	TICK_MS = 50,
	STILL = 4, /* ticks without change: the file is written */
};

struct seen {
	int64_t ino, size, sec, nsec;
};

/* One recorder that was asked by its FIFO, and the files that its answer may come in. */
struct pending {
	const struct nh_subject *s;
	int64_t rank;
	size_t nfiles;
	const char *file[NH_DUMP_PREFIXES]; /* as the process names it */
	const char *path[NH_DUMP_PREFIXES]; /* as we reach it */
	struct seen before[NH_DUMP_PREFIXES], last[NH_DUMP_PREFIXES];
	int still[NH_DUMP_PREFIXES];
	bool done;
};

struct asking {
	struct nh_collector *k;
	struct nh_arena *a; /* of what is dropped afterwards */
	struct nh_flight *flight;
	int64_t until;
	NH_VEC(struct pending) pending;
	NH_VEC(int64_t) fifos; /* inodes of those asked */
	size_t asked;
};

/* The environment of one subject. */
struct settings {
	char *text;
	size_t len;
};

static const char *get(const struct settings *e, const char *name)
{
	return nh_environ_get(e->text, e->len, name);
}

static const char *subject_of(struct nh_collector *k, const struct nh_subject *s)
{
	return nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid);
}

static void say(struct asking *q, const struct nh_subject *s, const char *why)
{
	nh_gap_said(q->k, subject_of(q->k, s), WHAT, why, NULL, false);
}

static void take(
	struct asking *q, const struct nh_subject *s, const char *name, const char *buf, size_t len)
{
	struct nh_err err;

	if (nh_flight_read(q->flight, name, buf, len, &err) < 0)
		say(q, s, nh_arena_strdup(q->k->a, err.msg));
}

/* Asks the parent for time beyond the timeout; what was asked for before counts. */
static void extend(struct asking *q, int64_t ms)
{
	if (ms <= q->k->mark->longer_ms)
		return;
	q->until += ms - q->k->mark->longer_ms;
	q->k->mark->longer_ms = ms;
}

/* True if the server answered with a dump. */
static bool ask_server(struct asking *q, const struct nh_subject *s, const struct settings *e)
{
	/* Builds with CUDA have the first: the second is another recorder's then. */
	static const char *const handlers[] = { "dump_nccl_trace_json", "fr_trace_json" };
	const char *name = get(e, "TORCH_WORKER_SERVER_SOCKET"), *body;
	int64_t rank = nh_env_int(get(e, "RANK"));
	const char *path;
	size_t len = 0;
	int64_t until;
	int r = -ENOENT;

	if (!name)
		return false;
	if (rank == NH_UNKNOWN) {
		say(q, s,
			"it has a worker server, but no RANK in its environment to tell whose "
			"dump that would be");
		return false;
	}
	extend(q, SERVER_MS);
	until = nh_now_ms() + SERVER_MS / 2;
	until = until < q->until ? until : q->until;
	path = nh_arena_printf(
		q->a, "/proc/self/fd/%d/%s%s", s->live, *name == '/' ? "root" : "cwd/", name);
	for (size_t i = 0; i < 2 && r == -ENOENT; i++)
		r = nh_worker_server_ask(q->a, path, handlers[i], until, &body, &len);
	if (r) {
		say(q, s,
			nh_arena_printf(q->k->a, "its worker server at %s: %s",
				nh_utf8_repair(q->k->a, name, strlen(name)), strerror(-r)));
		return false;
	}
	take(q, s,
		nh_arena_printf(q->k->a, "worker server of pid %jd, rank %jd", (intmax_t)s->pid,
			(intmax_t)rank),
		body, len);
	return true;
}

static bool look(const char *path, struct seen *ret)
{
	struct stat st;

	*ret = (struct seen){ 0 };
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct seen){ (int64_t)st.st_ino, st.st_size, st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec };
	return true;
}

struct search {
	const char *stem;
	int64_t fd, rank, inode;
};

/* "<stem>3.pipe": the recorder's FIFO, of rank 3. */
static int is_pipe(void *ctx, int dir, int64_t number)
{
	struct search *s = ctx;
	char link[4097], name[24], *end;
	size_t n = strlen(s->stem);
	struct stat st;
	long rank;

	snprintf(name, sizeof(name), "%jd", (intmax_t)number);
	if (nh_read_link(dir, name, link, sizeof(link)) < 0 || !nh_starts_with(link, s->stem) ||
		!isdigit((unsigned char)link[n]))
		return 0;
	rank = strtol(link + n, &end, 10);
	if (strcmp(end, ".pipe") != 0 || rank > INT32_MAX || fstatat(dir, name, &st, 0) ||
		!S_ISFIFO(st.st_mode))
		return 0;
	s->fd = number;
	s->rank = rank;
	s->inode = (int64_t)st.st_ino;
	return 1;
}

/* One byte, whichever it is. */
static int poke(const struct nh_subject *s, int64_t number)
{
	char path[32];

	snprintf(path, sizeof(path), "fd/%jd", (intmax_t)number);
	nh_auto_close int fd = openat(s->live, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && write(fd, "1", 1) == 1 ? 0 : -errno;
}

/* A forked process has its parent's FIFO open too: that recorder is asked once. */
static bool asked_before(struct asking *q, int64_t inode)
{
	nh_for(old, &q->fifos)
		if (*old == inode)
			return true;
	*nh_push(q->a, &q->fifos) = inode;
	return false;
}

static void expect(
	struct asking *q, const struct nh_subject *s, const struct settings *e, int64_t rank)
{
	struct pending *p = nh_push(q->a, &q->pending);
	const char *prefix[NH_DUMP_PREFIXES];

	p->s = s;
	p->rank = rank;
	p->nfiles = nh_dump_prefixes(q->a, e->text, e->len, NH_UNKNOWN, prefix);
	for (size_t i = 0; i < p->nfiles; i++) {
		p->file[i] = nh_arena_printf(q->k->a, "%s%jd", prefix[i], (intmax_t)rank);
		p->path[i] = nh_arena_printf(q->a, "/proc/self/fd/%d/%s%s", s->live,
			*prefix[i] == '/' ? "root" : "cwd/", p->file[i]);
		look(p->path[i], &p->before[i]);
	}
}

static void ask_pipe(struct asking *q, const struct nh_subject *s, const struct settings *e)
{
	struct search found = { .stem = get(e, "TORCH_NCCL_DEBUG_INFO_PIPE_FILE") };
	int64_t poll_ms = nh_dump_poll_ms(e->text, e->len);
	int r;

	if (!found.stem || !*found.stem) {
		if (!get(e, "TORCH_WORKER_SERVER_SOCKET"))
			say(q, s,
				"it cannot be asked: neither TORCH_NCCL_DEBUG_INFO_PIPE_FILE nor "
				"TORCH_WORKER_SERVER_SOCKET was set when it was started");
		return;
	}
	if (nh_each_number(s->live, "fd", is_pipe, &found) != 1) {
		say(q, s,
			nh_arena_printf(q->k->a,
				"it has no FIFO %s<rank>.pipe open: the recorder is off, or it has made no "
				"NCCL process group yet",
				nh_utf8_repair(q->k->a, found.stem, strlen(found.stem))));
		return;
	}
	if (asked_before(q, found.inode))
		return;
	/* Before it is asked: what it writes then is newer than what is there now. */
	expect(q, s, e, found.rank);
	r = poke(s, found.fd);
	if (r) {
		q->pending.n--;
		say(q, s,
			nh_arena_printf(
				q->k->a, "its FIFO cannot be written to: %s", strerror(-r)));
		return;
	}
	extend(q, poll_ms + WRITE_MS);
	if (poll_ms > q->k->o->timeout_ms)
		nh_gap_said(q->k, subject_of(q->k, s), WHAT " within the timeout",
			nh_arena_printf(q->k->a,
				"its recorder looks for a request only every %jd s, as it does not "
				"dump on timeout: the inspection waited that much longer for it",
				(intmax_t)(poll_ms / 1000)),
			NULL, false);
}

static void ask(struct asking *q, const struct nh_subject *s)
{
	struct settings e = { 0 };
	ssize_t n;

	if (!nh_mark_begin(q->k->mark, s->pid, WHAT))
		return;
	n = nh_read_whole(q->a, s->live, "environ", ENVIRON_MAX, &e.text, NULL);
	if (n < 0) {
		nh_gap_errno(q->k, s->pid, WHAT, (int)-n, false);
		return;
	}
	e.len = (size_t)n;
	nh_mark_idle(q->k->mark);
	q->asked++;
	if (!ask_server(q, s, &e))
		ask_pipe(q, s, &e);
}

/* True once a file of the answer is there and has been left alone for a while. */
static bool arrived(struct asking *q, struct pending *p, size_t i)
{
	struct seen now;
	bool there = look(p->path[i], &now);

	if (!there || !memcmp(&now, &p->before[i], sizeof(now)))
		return false;
	p->still[i] = memcmp(&now, &p->last[i], sizeof(now)) ? 0 : p->still[i] + 1;
	p->last[i] = now;
	return p->still[i] >= STILL || nh_now_ms() >= q->until;
}

static void read_answer(struct asking *q, struct pending *p, size_t i)
{
	struct nh_arena tmp = { 0 };
	char *buf;
	int cut = 0;
	ssize_t n;

	p->done = true;
	if (!nh_mark_begin(q->k->mark, p->s->pid, WHAT))
		return;
	n = nh_read_whole(&tmp, -1, p->path[i], DUMP_MAX, &buf, &cut);
	if (n < 0 || cut)
		say(q, p->s,
			nh_arena_printf(q->k->a, "%s: %s", p->file[i],
				cut ? "larger than 256 MB" : strerror((int)-n)));
	else
		take(q, p->s, p->file[i], buf, (size_t)n);
	nh_arena_free(&tmp);
	nh_mark_idle(q->k->mark);
}

static void await(struct asking *q)
{
	for (bool open = true; open;) {
		bool late = nh_now_ms() >= q->until;

		open = false;
		nh_for(p, &q->pending) {
			for (size_t i = 0; i < p->nfiles && !p->done; i++)
				if (arrived(q, p, i))
					read_answer(q, p, i);
			open |= !p->done;
		}
		if (open && late)
			break;
		if (open)
			nh_sleep_ms(TICK_MS);
	}
	nh_for(p, &q->pending)
		if (!p->done)
			say(q, p->s,
				nh_arena_printf(q->k->a,
					"it was asked, but wrote no %s%s%s within %jd s: its monitor thread "
					"is stuck, or the files go elsewhere",
					p->nfiles ? p->file[0] : "file",
					p->nfiles > 1 ? " or " : "",
					p->nfiles > 1 ? p->file[1] : "",
					(intmax_t)((q->until - q->k->began_ms) / 1000)));
}

void nh_ask_dumps(struct nh_collector *k)
{
	struct nh_arena tmp = { 0 };
	struct asking q = { .k = k, .a = &tmp, .until = k->began_ms + k->o->timeout_ms * 9 / 10 };

	q.until += k->mark->longer_ms;
	q.flight = nh_flight_new(k->c);
	nh_for(s, &k->subjects)
		if (q.flight && !s->ended && (s->why == NH_WHY_TARGET || s->why == NH_WHY_FOUND))
			ask(&q, s);
	await(&q);
	if (!q.asked)
		nh_gap_said(k, "flight recorder", "a dump",
			"no process that could be asked was found", NULL, false);
	nh_flight_free(q.flight);
	nh_arena_free(&tmp);
}
