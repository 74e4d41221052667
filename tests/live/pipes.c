/*
 * Waits on pipes, FIFOs and their like, prints pid=READER child=PID write=FD.
 *
 *	pipes self | pool | pair | dead | deadpair	hang: whoever could write is the reader or
 *dead pipes open FIFO					hangs: nobody opens the other end pipes
 *handler | selfpipe | thread | worker | late | server FIFO | objects	do not
 */
#include "fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static int ends[2];

static void on_signal(int sig)
{
	(void)sig;
	(void)!write(ends[1], "x", 1);
}

static void handle(int sig)
{
	signal(sig, on_signal);
}

static void *waits_for_work(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&work, &lock);
	return arg;
}

static void *writes_now_and_then(void *arg)
{
	for (;;)
		sleep(1000);
	return arg;
}

/* A child that has both ends too, and stays until the input ends or it is killed. */
static pid_t child(bool lives)
{
	pid_t pid = fork();

	if (!check(pid, "fork")) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (lives)
			until_input_ends(NULL);
		raise(SIGKILL);
	}
	if (!lives)
		waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	return pid;
}

/* An epoll set of several kinds. */
static int objects(void)
{
	int epfd = check(epoll_create1(0), "epoll"), pair[2];
	int timer = check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd");
	struct itimerspec hour = { .it_value.tv_sec = 3600 };

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	check(timerfd_settime(timer, 0, &hour, NULL), "timerfd");

	int set[] = { check(eventfd(0, 0), "eventfd"), timer, pair[0], ends[0],
		check(epoll_create1(0), "epoll") };

	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++)
		check(epoll_ctl(epfd, EPOLL_CTL_ADD, set[i],
			      &(struct epoll_event){ .events = EPOLLIN, .data.fd = set[i] }),
			"epoll_ctl");
	return epfd;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	bool is_open = !strcmp(mode, "open"), is_server = !strcmp(mode, "server");
	pid_t pid = 0;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(mode, "pair") || !strcmp(mode, "deadpair"))
		check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	else
		check(pipe(ends), "pipe");
	if (!strcmp(mode, "handler"))
		handle(SIGUSR1);
	if (!strcmp(mode, "selfpipe"))
		check(fcntl(ends[1], F_SETFL, O_NONBLOCK), "fcntl");
	if (!strcmp(mode, "thread"))
		start(writes_now_and_then, NULL);
	if (!strcmp(mode, "pool"))
		start(waits_for_work, NULL);
	if (!strcmp(mode, "worker") || !strcmp(mode, "late"))
		pid = child(true);
	if (!strcmp(mode, "dead") || !strcmp(mode, "deadpair"))
		pid = child(false);
	if (!strcmp(mode, "late")) /* as a shell's coprocess: only the child can write */
		close(ends[1]);
	printf("pid=%d child=%d write=%d\n", getpid(), pid, ends[1]);
	fflush(stdout);
	if (!strcmp(mode, "objects"))
		return epoll_wait(objects(), &(struct epoll_event){ 0 }, 1, -1);
	if (is_open || is_server)
		ends[0] = check(open(argv[2], is_server ? O_RDWR : O_RDONLY), argv[2]);
	while (read(ends[0], &byte, 1) >= 0)
		;
	return 1;
}
