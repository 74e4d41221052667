/*
 * A child whose main thread has ended; its parent waits for it, and ends it with standard input.
 *   waits    its threads wait for what none of them does: one joins the other
 *   cycle    they want each other's locks
 *   serves   one of them accepts connections, and the others wait for work from it: as intended
 *   works    one of them does something now and then
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static volatile int held[2];

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&work, &mutex);
	return arg;
}

static void *joins(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	return arg;
}

static void *crosses(void *arg)
{
	int me = (int)(intptr_t)arg;

	pthread_mutex_lock(&locks[me]);
	held[me] = 1;
	wait_for(&held[!me]);
	pthread_mutex_lock(&locks[!me]);
	return arg;
}

static void *serves(void *arg)
{
	int port;

	accept_from(listen_any(&port));
	return arg;
}

static void *works(void *arg)
{
	for (;;)
		usleep(50000);
	return arg;
}

static void become(const char *mode)
{
	static pthread_t first;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(mode, "cycle")) {
		start(crosses, (void *)0);
		start(crosses, (void *)1);
	} else {
		first = start(waits, NULL);
		start(joins, &first);
	}
	if (!strcmp(mode, "serves"))
		start(serves, NULL);
	if (!strcmp(mode, "works"))
		start(works, NULL);
	pthread_exit(NULL);
}

static void *waits_for(void *arg)
{
	waitpid((pid_t)(intptr_t)arg, NULL, 0);
	return arg;
}

int main(int argc, char **argv)
{
	char buf[64];
	pid_t child = check(fork(), "fork");

	if (!child)
		become(argc > 1 ? argv[1] : "waits");
	start(waits_for, (void *)(intptr_t)child);
	printf("pid=%d child=%d\n", getpid(), child);
	fflush(stdout);
	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	kill(child, SIGKILL);
	_exit(0);
}
