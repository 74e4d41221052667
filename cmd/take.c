#include "take.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/io.h"
#include "case/codec.h"

/* The child: a case as lines, or the reason why there is none. */
static int collect(const struct nh_collect_opts *o, int fd)
{
	struct nh_arena a = { 0 };
	struct nh_case *c = NULL;
	struct nh_err err;
	int r = nh_collect(&a, o, &c, &err);

	if (r < 0) {
		nh_write_sink(&fd, err.msg, strlen(err.msg));
		return r == -ESRCH || r == -ENOENT ? EX_NOINPUT : EX_SOFTWARE;
	}
	return nh_case_write(c, (struct nh_sink){ nh_write_sink, &fd }) ? EX_SOFTWARE : 0;
}

/* Crashes, Ctrl-C and Ctrl-Z are the screen's: this process has no terminal, and a job that is
 * suspended must not suspend it while a thread is stopped. */
static void become_child(pid_t parent)
{
	static const int reset[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE,
		SIGILL, SIGABRT, SIGTSTP, SIGWINCH };

	for (size_t i = 0; i < sizeof(reset) / sizeof(*reset); i++)
		signal(reset[i], SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EX_SOFTWARE);
}

int nh_take_start(struct nh_take *t, const struct nh_collect_opts *o)
{
	pid_t parent = getpid();
	int fds[2];

	*t = (struct nh_take){ .fd = -1, .began_ms = nh_now_ms() };
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	t->pid = fork();
	if (!t->pid) {
		become_child(parent);
		close(fds[0]);
		_exit(collect(o, fds[1]));
	}
	close(fds[1]);
	if (t->pid < 0) {
		int r = -errno;

		close(fds[0]);
		t->pid = 0;
		return r;
	}
	t->fd = fds[0];
	t->arena = calloc(1, sizeof(*t->arena));
	if (!t->arena) {
		nh_take_end(t);
		return -ENOMEM;
	}
	t->in = nh_intake_new(t->arena);
	return 0;
}

static void drain(struct nh_take *t)
{
	char buf[1 << 16];
	ssize_t n = 1;

	while (t->fd >= 0 && (n = read(t->fd, buf, sizeof(buf))) > 0) {
		size_t keep = sizeof(t->head) - 1 - t->nhead;

		keep = (size_t)n < keep ? (size_t)n : keep;
		memcpy(t->head + t->nhead, buf, keep);
		t->nhead += keep;
		nh_intake_feed(t->in, "collection", buf, (size_t)n);
	}
	if (!n && t->fd >= 0) {
		close(t->fd);
		t->fd = -1;
	}
}

/* The end of the pipe does not tell the end: a worker stuck in the kernel may still have it open.
 */
bool nh_take_follow(struct nh_take *t, struct nh_case **ret, int *status, struct nh_err *err)
{
	int wait = 0;

	drain(t);
	if (waitpid(t->pid, &wait, WNOHANG) != t->pid)
		return false;
	drain(t);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	t->pid = 0;
	nh_intake_finish(t->in);
	*ret = WIFEXITED(wait) && !WEXITSTATUS(wait) && nh_intake_count(t->in)
		       ? nh_intake_case(t->in, 0)
		       : NULL;
	*status = WIFEXITED(wait) ? WEXITSTATUS(wait) : EX_SOFTWARE;
	if (*ret)
		return true;
	if (WIFSIGNALED(wait))
		nh_fail(err, -EIO, "the collection died of signal %d", WTERMSIG(wait));
	else
		nh_fail(err, -EIO, "%s", t->head);
	nh_arena_free(t->arena);
	free(t->arena);
	t->arena = NULL;
	return true;
}

void nh_take_end(struct nh_take *t)
{
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	if (t->fd >= 0)
		close(t->fd);
	if (t->arena) {
		nh_arena_free(t->arena);
		free(t->arena);
	}
	*t = (struct nh_take){ .fd = -1 };
}
