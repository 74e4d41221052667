/*
 * A child of a fork in a process with threads, alone with what the fork copied.
 *
 *	forked heap | word | pool | rwlock		waits for ever for a thread it does not have
 *	forked idle | timed | handler | shared | exec	may be woken, or means to wait
 */
#include "fixture.h"

#include <linux/futex.h>
#include <malloc.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { BLOCK = 5000 }; /* bytes: more than a thread keeps for itself */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int stands;
static sem_t sem;
static void *volatile block; /* so that no compiler leaves the allocation out */

static void nothing(int sig)
{
	(void)sig;
}

static void wait_on(uint32_t *word, int op, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	for (;;)
		syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* The name is libgomp's: its threads wait for each other there. */
NAMED void gomp_team_barrier_wait_end(uint32_t *word);
NAMED void gomp_team_barrier_wait_end(uint32_t *word)
{
	wait_on(word, FUTEX_WAIT_PRIVATE, 64);
	STAY();
}

static void allocate(void)
{
	void *p = malloc(BLOCK);

	block = p;
	free(p);
}

static void *use_heap(void *arg)
{
	while (!stands)
		allocate();
	for (;;)
		pause();
	return arg;
}

static void *write_lock(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	stands = 1;
	for (;;)
		pause();
	return arg;
}

static void *only_live(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int has_ended(pid_t child)
{
	for (int i = 0; i < 200; i++) {
		if (waitpid(child, NULL, WNOHANG) == child)
			return 1;
		usleep(1000);
	}
	return 0;
}

/* fork(3) would take the allocator's lock first; the system call does not. */
static pid_t fork_until_one_hangs(void)
{
	mallopt(M_ARENA_MAX, 1);
	for (int i = 0; i < 2; i++)
		start(use_heap, NULL);
	for (;;) {
		pid_t child = check((int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), "clone");

		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			allocate();
			_exit(0);
		}
		if (!has_ended(child))
			return child;
	}
}

static void be_child(const char *mode)
{
	static uint32_t word;
	uint32_t *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timespec later = { .tv_sec = time(NULL) + 3600 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(mode, "word"))
		wait_on(&word, FUTEX_WAIT_PRIVATE, 2);
	if (!strcmp(mode, "shared"))
		wait_on(shared, FUTEX_WAIT, 2);
	if (!strcmp(mode, "pool"))
		gomp_team_barrier_wait_end(&word);
	if (!strcmp(mode, "rwlock"))
		pthread_rwlock_rdlock(&rwlock);
	if (!strcmp(mode, "handler")) {
		signal(SIGUSR1, nothing);
		gomp_team_barrier_wait_end(&word);
	}
	if (!strcmp(mode, "timed"))
		sem_timedwait(&sem, &later);
	if (!strcmp(mode, "exec"))
		execl("/proc/self/exe", "forked", "alone", NULL);
	for (;;)
		sem_wait(&sem);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	static uint32_t word;
	pid_t child;

	if (!strcmp(mode, "alone"))
		wait_on(&word, FUTEX_WAIT_PRIVATE, 2);
	start(until_input_ends, NULL);
	start(only_live, NULL);
	if (!strcmp(mode, "rwlock")) {
		start(write_lock, NULL);
		wait_for(&stands);
	}
	sem_init(&sem, 0, 0);
	child = strcmp(mode, "heap") != 0 ? check(fork(), "fork") : fork_until_one_hangs();
	if (!child)
		be_child(mode);
	stands = 1;
	usleep(50000);
	printf("pid=%d\n", child);
	fflush(stdout);
	for (;;)
		pause();
}
