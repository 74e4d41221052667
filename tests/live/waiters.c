/*
 * One job of several processes, one of which is stuck: who is held up by it, and who is not.
 *
 *	worker     a child that waits for a mutex its parent's thread had locked at the fork
 *	reader     reads the pipe that only the worker can write
 *	launcher   the parent of both: waits for the reader's end
 *	either     polls the worker's other pipe and one of `free`, which lives and may write
 */
#include "fixture.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int from_worker[2], also_from_worker[2], from_free[2];

static void *take_lock(void *arg)
{
	pthread_mutex_lock(&lock);
	*(volatile int *)arg = 1;
	while (pause())
		;
	return arg;
}

static pid_t child(void (*run)(void))
{
	pid_t pid = check(fork(), "fork");

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run();
	_exit(0);
}

static void only(int keep)
{
	int all[] = { from_worker[0], from_worker[1], also_from_worker[0], also_from_worker[1],
		from_free[0], from_free[1] };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] != keep)
			close(all[i]);
}

static void work(void)
{
	close(from_worker[0]);
	close(also_from_worker[0]);
	close(from_free[0]);
	close(from_free[1]);
	pthread_mutex_lock(&lock);
}

static void read_worker(void)
{
	char byte;

	only(from_worker[0]);
	check((int)read(from_worker[0], &byte, 1), "read");
}

static void be_free(void)
{
	only(from_free[1]);
	for (;;)
		usleep(100000);
}

static void poll_either(void)
{
	struct pollfd fds[] = { { also_from_worker[0], POLLIN, 0 }, { from_free[0], POLLIN, 0 } };

	close(from_worker[0]);
	close(from_worker[1]);
	close(also_from_worker[1]);
	close(from_free[1]);
	poll(fds, 2, -1);
}

int main(void)
{
	volatile int locked = 0;
	pid_t worker, reader, either;

	check(pipe(from_worker) | pipe(also_from_worker) | pipe(from_free), "pipe");
	start(take_lock, (void *)&locked);
	wait_for(&locked);
	worker = child(work);
	reader = child(read_worker);
	either = child(poll_either);
	child(be_free);
	only(-1);
	start(until_input_ends, NULL);
	usleep(100000);
	printf("pid=%d worker=%d reader=%d either=%d\n", getpid(), worker, reader, either);
	fflush(stdout);
	waitpid(reader, NULL, 0);
	return 0;
}
