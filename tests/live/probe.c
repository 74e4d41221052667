/*
 * A process that notices when it is touched: threads blocked in calls that a stop would interrupt
 * count their EINTRs, and one that should never rest measures the longest time it was kept away.
 * For every line of input it prints a line with both and begins anew; it ends with its input.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
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

int main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_t joined, other;
	char line[64];

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
