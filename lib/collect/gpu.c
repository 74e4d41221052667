/* The GPUs' state: asked between the samples, when there is nothing else to do. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/io.h"
#include "base/str.h"
#include "case/intake.h"
#include "collect/gpu.h"
#include "collect/internal.h"
#include "know/gpu.h"

#define SUBJECT "the GPUs"
#define WHAT "their state"

enum { PATIENCE_MS = 3000, REAP_MS = 100 };

void nh_gpu_tell(struct nh_gpu_teller *t)
{
	nh_write_tables(&t->w, &t->c);
	t->c.gpus.n = 0;
}

void nh_gpu_tell_error(struct nh_gpu_teller *t, const char *error)
{
	nh_case_row(&t->c, gpu, gpus)->error = error;
	nh_gpu_tell(t);
}

void nh_gpu_throttle(struct nh_arena *a, struct nh_gpu *g, uint64_t bits)
{
	for (const struct nh_throttle *t = nh_throttles; t->name; t++)
		if (bits & t->bit)
			*nh_push(a, &g->throttle) = t->name;
}

void nh_gpu_trouble(struct nh_arena *a, struct nh_gpu *g, const char *words, size_t n)
{
	g->error = nh_utf8_repair(a, words, n);
	g->trouble = strstr(g->error, "is lost")	  ? NH_GPU_LOST
		     : strstr(g->error, "requires reset") ? NH_GPU_RESET
							  : NH_GPU_UNREADABLE;
}

static bool has_driver(void)
{
	struct statx st;

	return !statx(AT_FDCWD, "/dev/nvidiactl", AT_STATX_DONT_SYNC, STATX_TYPE, &st);
}

static void __attribute__((noreturn)) ask(int fd)
{
	struct nh_arena a = { 0 };
	struct nh_gpu_teller t = { .c = { .arena = &a }, .w = { .sink = { nh_write_sink, &fd } } };

	t.w.id = nh_case_new_id(&a);
	if (nh_gpu_ask_nvml(&t) && nh_gpu_ask_smi(&t) && has_driver())
		nh_gpu_tell_error(
			&t, "there is neither a libnvidia-ml.so.1 nor an nvidia-smi here");
	_exit(0);
}

/* Only where there may be some: a driver, or a subject that uses one. */
static bool may_have_gpus(const struct nh_collector *k)
{
	if (has_driver())
		return true;
	nh_for(m, &k->c->modules)
		if (m->path && strstr(m->path, "/libcuda.so"))
			return true;
	return false;
}

void nh_gpus_begin(struct nh_collector *k)
{
	int64_t until = nh_now_ms() + PATIENCE_MS, most = k->began_ms + k->o->timeout_ms * 8 / 10;
	int ends[2];

	if (k->recorded || !k->subjects.n || !may_have_gpus(k) || pipe2(ends, O_CLOEXEC))
		return;
	k->gpus.until_ms = until < most ? until : most;
	k->gpus.fd = ends[0];
	k->gpus.pid = fork();
	if (!k->gpus.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != k->self)
			_exit(1);
		/* What it starts is ended with it. */
		setpgid(0, 0);
		/* If it never ends, nobody who reads our output may wait for it. */
		if (ends[1] > 3)
			close_range(3, (unsigned)ends[1] - 1, 0);
		close_range((unsigned)ends[1] + 1, ~0U, 0);
		ask(ends[1]);
	}
	close(ends[1]);
	if (k->gpus.pid < 0)
		close(ends[0]);
}

/* Up to the end of what it tells, true, or of the time. */
static bool hear(struct nh_collector *k, struct nh_intake *in)
{
	char buf[8192];

	for (;;) {
		struct pollfd p = { .fd = k->gpus.fd, .events = POLLIN };
		int64_t left = k->gpus.until_ms - nh_now_ms();
		int r = poll(&p, 1, left > 0 ? (int)left : 0);
		ssize_t n;

		if (!r)
			return false;
		if (r < 0 && errno == EINTR)
			continue;
		n = read(k->gpus.fd, buf, sizeof(buf));
		if (n <= 0)
			return true;
		nh_intake_feed(in, SUBJECT, buf, (size_t)n);
	}
}

/* True and its status if it ended; one that is stuck in the driver is left to init. */
static bool end(struct nh_collector *k, int *status)
{
	pid_t ended = 0;

	/* It may not have come to setpgid yet. */
	kill(-(pid_t)k->gpus.pid, SIGKILL);
	kill((pid_t)k->gpus.pid, SIGKILL);
	for (int i = 0; i < REAP_MS && !ended; i++) {
		ended = waitpid((pid_t)k->gpus.pid, status, WNOHANG);
		if (!ended)
			nh_sleep_ms(1);
	}
	close(k->gpus.fd);
	return ended == k->gpus.pid;
}

/* The place of what was told: that of what was told of the same GPU before. */
static struct nh_gpu *row_of(struct nh_collector *k, const struct nh_gpu *told)
{
	nh_for(g, &k->c->gpus)
		if (told->index != NH_UNKNOWN ? g->index == told->index
					      : nh_streq(g->pci, told->pci))
			return g;
	return nh_case_row(k->c, gpu, gpus);
}

static void keep(struct nh_collector *k, const struct nh_case *told)
{
	nh_for(g, &told->gpus)
		if (g->index != NH_UNKNOWN || g->pci)
			*row_of(k, g) = *g;
		else if (g->error)
			nh_gap_said(k, SUBJECT, WHAT, g->error, NULL, false);
	nh_for(g, &k->c->gpus)
		if (g->trouble == NH_GPU_SILENT)
			g->error = "the driver had not answered when time was up";
}

void nh_gpus_end(struct nh_collector *k)
{
	struct nh_intake *in;
	bool whole;
	int status = 0;

	if (k->gpus.pid <= 0)
		return;
	in = nh_intake_new(k->a);
	nh_mark_idle(k->mark);
	whole = hear(k, in);
	if (nh_intake_count(in))
		keep(k, nh_intake_case(in, 0));
	if (!end(k, &status))
		nh_gap_said(k, SUBJECT, WHAT,
			"whoever asks the driver is stuck in the kernel and cannot even be killed; it "
			"was left behind",
			NULL, false);
	else if (!whole)
		nh_gap_said(k, SUBJECT, WHAT,
			"the driver did not answer in time, as if it were stuck; whoever asked was "
			"ended",
			NULL, false);
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		nh_gap_said(k, SUBJECT, WHAT,
			nh_arena_printf(k->a, "whoever asked the driver died of signal %d (%s)",
				WTERMSIG(status), strsignal(WTERMSIG(status))),
			NULL, false);
}
