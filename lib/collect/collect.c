#include "collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "case/codec.h"
#include "case/intake.h"
#include "collect/worker.h"

enum { STALL_MS = 1500, TICK_MS = 50 };

/* One worker and what it has said. */
struct attempt {
	pid_t pid;
	int fd;
	struct nh_intake *in;
};

/* A worker may get stuck for good: nobody who reads our output may then wait for it. */
static void let_go(int keep)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (keep > 3)
		close_range(3, (unsigned)keep - 1, 0);
	close_range((unsigned)keep + 1, ~0U, 0);
}

static int start(struct attempt *at, const struct nh_collect_opts *o, struct nh_mark *mark,
	struct nh_arena *a)
{
	pid_t parent = getpid();
	int pipefd[2];

	if (pipe2(pipefd, O_CLOEXEC))
		return -errno;
	at->pid = fork();
	if (at->pid < 0) {
		int r = -errno;

		close(pipefd[0]);
		close(pipefd[1]);
		return r;
	}
	if (!at->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		signal(SIGPIPE, SIG_IGN);
		/* Ctrl-Z must not stop it while it holds a thread. */
		setpgid(0, 0);
		let_go(pipefd[1]);
		_exit(nh_worker_run(o, mark, pipefd[1]));
	}
	close(pipefd[1]);
	at->fd = pipefd[0];
	at->in = nh_intake_new(a);
	return 0;
}

/* Waits a moment for the worker's end.  A worker stuck in the kernel cannot be waited for: it is
 * left to init.  True and its status if it ended. */
static bool reap(const struct attempt *at, int *status)
{
	enum { PATIENCE_MS = 200 };

	for (int i = 0; i < PATIENCE_MS; i++) {
		if (waitpid(at->pid, status, WNOHANG) == at->pid)
			return true;
		nh_sleep_ms(1);
	}
	return false;
}

static void abandon(struct attempt *at)
{
	int status;

	kill(at->pid, SIGKILL);
	reap(at, &status);
}

enum outcome { DONE, STALLED, LATE };

static enum outcome follow(
	struct attempt *at, struct nh_mark *mark, int64_t deadline, const struct nh_collect_opts *o)
{
	static char buf[1 << 16];
	int64_t step = -1, since = nh_now_ms(), longer = mark->longer_ms;

	for (;;) {
		struct pollfd p = { .fd = at->fd, .events = POLLIN };
		int64_t now = nh_now_ms();

		if (mark->step != step || !mark->what) {
			step = mark->step;
			since = now;
		}
		if (mark->longer_ms > longer && o->longer)
			o->longer(mark->longer_ms);
		longer = mark->longer_ms;
		if (now >= deadline + longer)
			return LATE;
		if (now - since > STALL_MS)
			return STALLED;
		if (poll(&p, 1, TICK_MS) <= 0)
			continue;

		ssize_t n = read(at->fd, buf, sizeof(buf));

		if (n == 0)
			return DONE;
		if (n > 0) {
			nh_intake_feed(at->in, "worker", buf, (size_t)n);
			since = nh_now_ms();
		}
	}
}

static void gap(struct nh_case *c, const char *subject, const char *what, const char *why,
	const char *grant, bool needed)
{
	*nh_push(c->arena, &c->gaps) = (struct nh_gap){ subject, what, why, grant, needed };
}

static void say_skipped(struct nh_case *c, const struct nh_mark *m)
{
	for (int i = 0; i < m->nskip; i++)
		gap(c, nh_arena_printf(c->arena, "pid %jd", (intmax_t)m->skip[i].pid),
			m->skip[i].what,
			nh_mark_is_memory(m->skip[i].what)
				? "reading it blocked in the kernel; it was abandoned, and with it all "
				  "that goes through that process's memory map"
				: "reading it blocked in the kernel; it was abandoned and left out",
			NULL, true);
}

static void say_end(struct nh_case *c, const struct attempt *at, enum outcome end,
	const struct nh_collect_opts *o)
{
	int status = 0;

	if (end == LATE)
		gap(c, "collection", "the rest",
			nh_arena_printf(c->arena, "not finished within %.3g s",
				(double)o->timeout_ms / 1000),
			nh_arena_printf(c->arena, "%s --timeout %.3g", o->rerun,
				(double)o->timeout_ms * 3 / 1000),
			true);
	if (end == DONE && reap(at, &status) && status)
		gap(c, "collection", "the rest",
			WIFSIGNALED(status)
				? nh_arena_printf(c->arena, "the worker died of signal %d (%s)",
					  WTERMSIG(status), strsignal(WTERMSIG(status)))
				: nh_arena_printf(c->arena, "the worker ended with %d (%s)",
					  WEXITSTATUS(status), strerror(WEXITSTATUS(status))),
			NULL, true);
}

static int none_exists(const struct nh_collect_opts *o, const struct nh_case *c, struct nh_err *err)
{
	size_t unknown = 0;
	char list[200] = "";

	nh_for(g, &c->gaps)
		if (g->why && !strcmp(g->why, "no such process"))
			unknown++;
	if (!o->npids || unknown < o->npids)
		return 0;
	for (size_t i = 0, n = 0; i < o->npids && n < sizeof(list) - 24; i++)
		n += (size_t)snprintf(
			list + n, sizeof(list) - n, "%s%jd", i ? ", " : "", (intmax_t)o->pids[i]);
	return nh_fail(err, -ESRCH, "no such process: %s", list);
}

int nh_collect(struct nh_arena *a, const struct nh_collect_opts *o, struct nh_case **ret,
	struct nh_err *err)
{
	int64_t began = nh_now_ms(), deadline = began + o->timeout_ms;
	struct nh_mark *mark = nh_mark_new();
	struct attempt at = { .fd = -1 };
	struct nh_case *best = NULL;
	enum outcome end;

	if (!o->root && access("/proc/self/stat", R_OK))
		return nh_fail(err, -ENODEV, "/proc is not mounted here: mount -t proc proc /proc");
	if (!mark)
		return nh_fail(err, -ENOMEM, "cannot map shared memory: %s", strerror(ENOMEM));
	do {
		int r = start(&at, o, mark, a);

		if (r) {
			nh_mark_free(mark);
			return nh_fail(err, r, "cannot start a worker process: %s", strerror(-r));
		}
		end = follow(&at, mark, deadline, o);
		if (end == STALLED && mark->nskip < NH_SKIPS) {
			mark->skip[mark->nskip].pid = mark->pid;
			mark->skip[mark->nskip++].what = mark->what;
		}
		/* A later attempt knows at least as much, unless it was cut before it began. */
		if (nh_intake_count(at.in))
			best = nh_intake_case(at.in, 0);
		close(at.fd);
		if (end != DONE)
			abandon(&at);
	} while (end == STALLED && mark->nskip < NH_SKIPS);

	if (!best) {
		/* Not one line: an empty case that says so. */
		best = nh_new(a, struct nh_case, 1);
		nh_row_init(&nh_case_header_type, best);
		best->arena = a;
		best->schema = NH_SCHEMA;
		best->id = nh_case_new_id(a);
		best->tool = "ncclhang " NH_VERSION;
	}
	say_skipped(best, mark);
	say_end(best, &at, end, o);
	best->duration_ms = nh_now_ms() - began;
	nh_mark_free(mark);
	*ret = best;
	return none_exists(o, best, err);
}
