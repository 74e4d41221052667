/*
 * A process that notices when it is touched: threads blocked in calls that a stop would interrupt
 * count their EINTRs, and one that should never rest measures the longest time it was kept away.
 * For every line of input it prints a line with both and begins anew; it ends with its input.
 *
 *	probe [THREADS DESCRIPTORS CHILDREN]	besides, so many at rest deep in calls, for
 *benchmarks
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long interrupted, longest_us;
static volatile pid_t ticker;

static long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void *tick(void *arg)
{
	long last = now_us();

	ticker = gettid();
	for (;;) {
		long now, gap;

		usleep(500);
		now = now_us();
		gap = now - last;
		last = now;
		if (gap > longest_us)
			longest_us = gap;
	}
	return arg;
}

/* epoll_wait is never restarted: a mere ptrace stop makes it return EINTR. */
static void *wait_epoll(void *arg)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(0);

	epoll_ctl(ep, EPOLL_CTL_ADD, eventfd(0, 0), &ev);
	while (epoll_wait(ep, &ev, 1, -1) < 0 && errno == EINTR)
		interrupted++;
	return arg;
}

static void *wait_poll(void *arg)
{
	struct pollfd p = { .fd = eventfd(0, 0), .events = POLLIN };

	while (poll(&p, 1, 1000000) < 0 && errno == EINTR)
		interrupted++;
	return arg;
}

static void *wait_lock(void *arg)
{
	pthread_mutex_lock(arg);
	return arg;
}

static void *wait_join(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	return arg;
}

/* At rest at the end of 10 to 30 calls. */
static __attribute__((noinline)) void rest(int depth, int fd)
{
	char byte;

	if (depth)
		rest(depth - 1, fd);
	else
		while (read(fd, &byte, 1) < 0 && errno == EINTR)
			interrupted++;
	__asm__ volatile("" ::: "memory"); /* so that the call above is no jump */
}

static void *rest_deep(void *arg)
{
	static atomic_int n;
	int pair[2];

	if (pipe(pair) < 0)
		err(1, "pipe");
	rest(10 + n++ % 21, pair[0]);
	return arg;
}

static void crowd(int threads, int descriptors, int children)
{
	struct rlimit rl = { 1 << 20, 1 << 20 };
	pthread_attr_t small;
	pthread_t t;

	setrlimit(RLIMIT_NOFILE, &rl);
	for (int i = 0; i < descriptors; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			err(1, "/dev/null");
	for (int i = 0; i < children; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 18);
	for (int i = 0; i < threads; i++)
		if ((errno = pthread_create(&t, &small, rest_deep, NULL)))
			err(1, "pthread_create");
}

int main(int argc, char **argv)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_t joined, other;
	char line[64];

	if (argc == 4)
		crowd(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
	pthread_mutex_lock(&lock);
	errno = pthread_create(&joined, NULL, wait_lock, &lock);
	if (errno || (errno = pthread_create(&other, NULL, wait_join, &joined)) ||
		(errno = pthread_create(&other, NULL, wait_epoll, NULL)) ||
		(errno = pthread_create(&other, NULL, wait_poll, NULL)) ||
		(errno = pthread_create(&other, NULL, tick, NULL)))
		err(1, "pthread_create");
	usleep(100000);
	printf("pid=%d ticker=%d\n", getpid(), ticker);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("interrupted=%ld longest_us=%ld\n", interrupted, longest_us);
		fflush(stdout);
		interrupted = longest_us = 0;
	}
	return 0;
}
