/*
 * Processes that wait for locks on a file, its path without a suffix as the second argument.
 *
 *	filelocks cycle | ofd | self | mixed | stopped	hang
 *	filelocks work | posix | inherit | threads	do not: whoever has the lock may give it
 *back
 */
#include "fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>

static char path[2][4096];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int stands;

static void stay(void)
{
	for (;;)
		pause();
}

static int opened(int which)
{
	return check(open(path[which], O_RDWR | O_CREAT, 0600), path[which]);
}

static void lock(const char *mode, int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!strcmp(mode, "posix"))
		check(fcntl(fd, F_SETLKW, &whole), "F_SETLKW");
	else if (!strcmp(mode, "ofd"))
		check(fcntl(fd, F_OFD_SETLKW, &whole), "F_OFD_SETLKW");
	else
		check(flock(fd, LOCK_EX), "flock");
}

/* A process that locks one file and, if it is told to, then the other. */
static pid_t locker(const char *mode, int first, bool both)
{
	pid_t child = check(fork(), "fork");

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lock(mode, opened(first));
	usleep(200000);
	if (!strcmp(mode, "stopped") && !both)
		raise(SIGSTOP);
	if (both)
		lock(mode, opened(!first));
	stay();
	return 0;
}

static pid_t waiter(const char *mode, int which)
{
	pid_t child = check(fork(), "fork");

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lock(mode, opened(which));
	stay();
	return 0;
}

static void show(pid_t pid, pid_t second)
{
	usleep(400000);
	printf("pid=%d second=%d\n", pid, second);
	fflush(stdout);
	start(until_input_ends, NULL);
	stay();
}

/* Locked by a process that has ended; a child of it has the descriptor, and knows nothing of it. */
static void inherit(void)
{
	pid_t taker, helper;
	int ends[2];

	/* So that the helper has a parent that is the fixture's. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	check(pipe(ends), "pipe");
	taker = check(fork(), "fork");
	if (!taker) {
		pid_t child;

		lock("", opened(0));
		child = check(fork(), "fork");
		if (!child) {
			close(ends[0]);
			until_input_ends(NULL);
		}
		check((int)write(ends[1], &child, sizeof(child)), "write");
		_exit(0);
	}
	waitpid(taker, NULL, 0);
	check((int)read(ends[0], &helper, sizeof(helper)), "read");
	show(waiter("", 0), helper);
}

static void *lock_mutex(void *arg)
{
	lock("", opened(1));
	stands = 1;
	usleep(200000);
	pthread_mutex_lock(&mutex);
	return arg;
}

static void *wait_again(void *arg)
{
	lock("", opened(0));
	return arg;
}

/* A thread has a mutex and wants a file; who has that wants another, which is locked by a thread
 * that wants the mutex. */
static void mixed(void)
{
	pid_t other = locker("", 0, true);

	pthread_mutex_lock(&mutex);
	start(lock_mutex, NULL);
	wait_for(&stands);
	start(until_input_ends, NULL);
	start(wait_again, NULL);
	usleep(600000);
	printf("pid=%d second=%d\n", getpid(), other);
	fflush(stdout);
	lock("", opened(0));
}

/* One thread works with the locked file, another wants it. */
static void threads(void)
{
	lock("", opened(0));
	start(wait_again, NULL);
	show(getpid(), 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	pid_t first;

	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "%s.%d", argc > 2 ? argv[2] : "", i);
	if (!strcmp(mode, "mixed"))
		mixed();
	if (!strcmp(mode, "threads"))
		threads();
	if (!strcmp(mode, "inherit"))
		inherit();
	if (!strcmp(mode, "self")) {
		first = check(fork(), "fork");
		if (!first) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			lock(mode, opened(0));
			lock(mode, opened(0));
		}
		show(first, 0);
	}
	if (!strcmp(mode, "cycle") || !strcmp(mode, "ofd")) {
		first = locker(mode, 0, true);
		show(first, locker(mode, 1, true));
	}
	first = locker(mode, 0, false);
	usleep(50000);
	show(waiter(mode, 0), first);
}
