/*
 * Threads that wait for pthread mutexes for ever, and shapes that only look so.
 *
 *	locks cycle | self | robust | join | fork | rwcycle	hang
 *	locks busy | recursive | shared | pool | readers	do not
 */
#include "fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static volatile pid_t tids[2];

static void stay(void)
{
	for (;;)
		pause();
}

static void *take_two_then_one(void *arg)
{
	tids[1] = gettid();
	pthread_mutex_lock(&two);
	while (!tids[0])
		usleep(1000);
	usleep(20000);
	pthread_mutex_lock(&one);
	return arg;
}

static void *take_one(void *arg)
{
	tids[1] = gettid();
	pthread_mutex_lock(&one);
	return arg;
}

static void *hold_one(void *arg)
{
	pthread_mutex_lock(&one);
	tids[1] = gettid();
	stay();
	return arg;
}

static void *wait_for_work(void *arg)
{
	tids[1] = gettid();
	pthread_mutex_lock(&one);
	pthread_cond_wait(&work, &one);
	return arg;
}

static void *take_two_then_read(void *arg)
{
	pthread_mutex_lock(&two);
	tids[1] = gettid();
	pthread_rwlock_rdlock(&rwlock);
	return arg;
}

static void *hold_to_read(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	tids[1] = gettid();
	stay();
	return arg;
}

static void make(pthread_mutex_t *m, int type, int robust, int shared)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutexattr_setpshared(&attr, shared);
	pthread_mutex_init(m, &attr);
}

static void until_second_stands(void)
{
	while (!tids[1])
		usleep(1000);
	usleep(50000);
}

static void show(pid_t pid)
{
	printf("pid=%d first=%d second=%d\n", pid, tids[0], tids[1]);
	fflush(stdout);
}

/* A child of a process with threads: it has the locked mutex, but not the thread that locked it. */
static void hang_a_child(void)
{
	pid_t child;

	start(hold_one, NULL);
	until_second_stands();
	child = check(fork(), "fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_mutex_lock(&one);
		_exit(1);
	}
	usleep(50000);
	show(child);
	stay();
}

/* Locked by another process, which lives and will unlock it one day. */
static void wait_for_another_process(void)
{
	pthread_mutex_t *m =
		mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	make(m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_SHARED);
	if (!check(fork(), "fork")) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_mutex_lock(m);
		stay();
	}
	usleep(50000);
	show(getpid());
	pthread_mutex_lock(m);
}

static void hang_two(bool robust)
{
	int kind = robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;

	make(&one, PTHREAD_MUTEX_ERRORCHECK, kind, PTHREAD_PROCESS_PRIVATE);
	make(&two, PTHREAD_MUTEX_ERRORCHECK, kind, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_lock(&one);
	start(take_two_then_one, NULL);
	while (!tids[1])
		usleep(1000);
	show(getpid());
	pthread_mutex_lock(&two);
}

/* Joins a thread while it holds what that one wants. */
static void hang_join(void)
{
	pthread_t t;

	pthread_mutex_lock(&one);
	t = start(take_one, NULL);
	until_second_stands();
	show(getpid());
	pthread_join(t, NULL);
}

/* One writes and wants a mutex, the other has that and wants to read. */
static void hang_writer(void)
{
	pthread_rwlock_wrlock(&rwlock);
	start(take_two_then_read, NULL);
	until_second_stands();
	show(getpid());
	pthread_mutex_lock(&two);
}

static void be_healthy(const char *mode)
{
	if (!strcmp(mode,
		    "busy")) { /* the owner is at rest, but will unlock: nothing says otherwise */
		start(hold_one, NULL);
		until_second_stands();
		show(getpid());
		pthread_mutex_lock(&one);
	} else if (!strcmp(mode, "pool")) {
		for (int i = 0; i < 8; i++)
			start(wait_for_work, NULL);
		until_second_stands();
		show(getpid());
		stay();
	}
	if (!strcmp(mode, "readers")) {
		start(hold_to_read, NULL);
		until_second_stands();
		show(getpid());
		pthread_rwlock_wrlock(&rwlock);
	}
	make(&one, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&one);
	start(take_one, NULL);
	until_second_stands();
	show(getpid());
	stay();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	start(until_input_ends, NULL);
	tids[0] = gettid();
	if (!strcmp(mode, "fork"))
		hang_a_child();
	if (!strcmp(mode, "shared"))
		wait_for_another_process();
	if (!strcmp(mode, "cycle") || !strcmp(mode, "robust"))
		hang_two(*mode == 'r');
	if (!strcmp(mode, "rwcycle"))
		hang_writer();
	if (!strcmp(mode, "join"))
		hang_join();
	if (strcmp(mode, "self") != 0)
		be_healthy(mode);
	pthread_mutex_lock(&one);
	show(getpid());
	pthread_mutex_lock(&one);
	return 0;
}
