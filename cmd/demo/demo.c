#include "demo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "patient.h"
#include "timeline.h"

#define NRANKS 2
#define NSLOTS 64
#define NEVER INT64_MAX
#define STEP_MS 100	 /* before each step, so that their order shows in start times */
#define STARTUP_MS 10000 /* for a scene to stand */
#define GOODBYE_MS 1000	 /* for the last command to be done */
#define MOMENT_MS 500	 /* to let the last events arrive */
#define PROOF_ROUNDS 2	 /* quiet poll rounds after the teardown call that prove the hang */
#define NEWS_ROUNDS 20	 /* and after which the timeline says that it still hangs */

struct play {
	const struct nh_demo_scene *scene;
	const char *next; /* in the script; "" = all steps were taken */
	struct nh_patient rank[NRANKS];
	int events, signals;
	int64_t step_at, end_at; /* ms of CLOCK_MONOTONIC */
	double seconds;
	int port;	       /* of rank 0's service thread */
	int peer_port[NSLOTS]; /* its live peers, 0 = free */
	int helper;
	int rounds;  /* quiet ones since rank 0 began its teardown, -1 = it did not */
	bool stands; /* the first line is out */
	bool over, failed;
	struct nh_timeline line;
	char *early; /* the timeline until then */
	size_t early_len;
};

static void fail(struct play *p, const char *why)
{
	fprintf(stderr, "ncclhang: demo: %s: %s\n", p->scene->name, why);
	p->failed = p->over = true;
}

static void show_kernel(struct play *p)
{
	const struct nh_demo_actor actors[NH_DEMO_ACTORS] = { { "rank0", p->rank[0].pid },
		{ "rank1", p->rank[1].pid }, { "helper", p->helper } };

	for (int slot = 0; slot < NSLOTS; slot++)
		if (p->peer_port[slot])
			nh_timeline_kernel(&p->line, p->port, p->peer_port[slot], actors);
}

static void show_rounds(struct play *p)
{
	nh_timeline_say(&p->line, nh_now_ns(),
		"rank0: hangs: %d poll rounds without an event, still waits for its peer",
		p->rounds);
}

/* The scene is what it claims to be: from here on others may look at it. */
static void stand(struct play *p)
{
	fclose(p->line.out);
	p->line.out = stdout;
	p->stands = true;
	printf("pid=%d holder=%d\n%s", (int)p->rank[0].pid, p->scene->hangs ? p->helper : 0,
		p->early);
	fflush(stdout);
	show_kernel(p);
	if (p->scene->hangs)
		show_rounds(p);
	p->end_at = p->seconds < 0 || p->seconds > 1e9 ? NEVER
						       : nh_now_ms() + (int64_t)(p->seconds * 1000);
}

static void next_step(struct play *p)
{
	int rank = p->next[0] - '0', op = (unsigned char)p->next[1];

	p->next += 2;
	p->step_at = NEVER;
	nh_patient_tell(&p->rank[rank], op, p->port);
}

/* The rank has done what it was told. */
static void step_done(struct play *p)
{
	if (*p->next) {
		p->step_at = nh_now_ms() + STEP_MS;
	} else if (p->stands) {
		p->end_at = nh_now_ms() + MOMENT_MS;
	} else if (p->scene->hangs) {
		fail(p, "the teardown returned, nothing hangs");
	} else {
		stand(p);
	}
}

static void quiet_round(struct play *p)
{
	if (p->rounds < 0)
		return;
	p->rounds++;
	if (!p->stands && !*p->next && p->rounds >= PROOF_ROUNDS)
		stand(p);
	else if (p->stands && p->scene->hangs && p->rounds % NEWS_ROUNDS == 0)
		show_rounds(p);
}

static void on_event(struct play *p, const struct nh_demo_event *ev)
{
	bool first = ev->rank == 0, slot_ok = ev->slot >= 0 && ev->slot < NSLOTS;

	nh_timeline_event(&p->line, ev);
	switch (ev->kind) {
	case NH_EV_READY:
		p->port = first ? ev->port : p->port;
		step_done(p);
		break;
	case NH_EV_HELPER:
		p->helper = ev->pid;
		step_done(p);
		break;
	case NH_EV_CONNECTED:
	case NH_EV_UNREAD:
	case NH_EV_RETURNED:
		step_done(p);
		break;
	case NH_EV_CALLED:
		p->rounds = first ? 0 : p->rounds;
		break;
	case NH_EV_ACCEPTED:
	case NH_EV_GONE:
		if (first && slot_ok)
			p->peer_port[ev->slot] = ev->kind == NH_EV_GONE ? 0 : ev->port;
		break;
	case NH_EV_QUIET:
		if (first)
			quiet_round(p);
		break;
	}
}

/* A scene that has a proper ending shows it; the others are simply cleaned up. */
static void finish(struct play *p)
{
	if (!p->stands && p->end_at <= nh_now_ms()) {
		fail(p, "did not come to stand");
	} else if (p->stands && p->scene->ending && p->rounds < 0) {
		nh_patient_tell(&p->rank[0], p->scene->ending, 0);
		p->end_at = nh_now_ms() + GOODBYE_MS;
		p->rounds = 0;
	} else {
		p->over = true;
	}
}

static void on_signal(struct play *p)
{
	struct signalfd_siginfo info;

	if (read(p->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD) {
		finish(p);
		return;
	}
	for (int i = 0; i < NRANKS; i++) {
		if (!nh_patient_ended(&p->rank[i]))
			continue;
		if (!p->stands) {
			fail(p, "a rank ended before the scene stood");
		} else {
			nh_timeline_say(&p->line, nh_now_ns(), "rank%d: ended", i);
			p->end_at = MIN(p->end_at, nh_now_ms() + MOMENT_MS);
		}
	}
}

static void drive(struct play *p)
{
	while (!p->over) {
		struct pollfd fds[] = { { .fd = p->signals, .events = POLLIN },
			{ .fd = p->events, .events = POLLIN } };
		int64_t wait = MIN(p->step_at, p->end_at) - nh_now_ms();
		struct nh_demo_event ev;

		if (poll(fds, 2, (int)MAX(0, MIN(wait, 60000))) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			on_signal(p);
		if (fds[1].revents && read(p->events, &ev, sizeof(ev)) == sizeof(ev))
			on_event(p, &ev);
		if (p->step_at <= nh_now_ms())
			next_step(p);
		if (p->end_at <= nh_now_ms())
			finish(p);
	}
}

/* As many ranks as the script names, sharing one event pipe that never blocks them. */
static int start(struct play *p, bool stripped)
{
	int nranks = strchr(p->scene->script, '1') ? 2 : 1;
	int pipefd[2], image = nh_patient_image(stripped), rc = 0;
	nh_auto_close int image_fd = image;

	if (image < 0)
		return image;
	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -errno;
	nh_auto_close int writer = pipefd[1];

	p->events = pipefd[0];
	fcntl(writer, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < nranks && !rc; i++)
		rc = nh_patient_start(image_fd, i, nranks, writer, &p->rank[i]);
	return rc;
}

static int play(struct play *p, bool stripped)
{
	sigset_t set, before;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC);
	rc = p->signals < 0 ? -errno : start(p, stripped);
	if (rc < 0)
		fail(p, strerror(-rc));
	else
		drive(p);
	for (int i = NRANKS - 1; i >= 0; i--)
		nh_patient_end(&p->rank[i]);
	close(p->events);
	close(p->signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return p->failed ? EX_SOFTWARE : 0;
}

int nh_cmd_demo(const char *scene, bool stripped, double seconds)
{
	struct play p = { .scene = nh_demo_scenes, .seconds = seconds, .events = -1, .rounds = -1 };
	int rc;

	while (p.scene->name && strcmp(p.scene->name, scene) != 0)
		p.scene++;
	if (!p.scene->name)
		return EX_USAGE;
	p.next = p.scene->script;
	p.step_at = nh_now_ms();
	p.end_at = p.step_at + STARTUP_MS;
	p.line = (struct nh_timeline){ open_memstream(&p.early, &p.early_len), nh_now_ns() };
	if (!p.line.out)
		return EX_SOFTWARE;
	rc = play(&p, stripped);
	if (!p.stands)
		fclose(p.line.out);
	free(p.early);
	return rc;
}
