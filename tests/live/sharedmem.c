/*
 * Processes that wait for others in memory they share, or in queues of the kernel.
 *
 *	sharedmem cycle					hangs
 *	sharedmem named | memory | robust | set | queue	do not: any of the others may come
 */
#include "fixture.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>

static void stay(void)
{
	for (;;)
		pause();
}

static pthread_mutex_t *shared_mutex(void)
{
	pthread_mutex_t *m =
		mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(m, &attr);
	return m;
}

static sem_t *named(void)
{
	char name[64];
	sem_t *sem;

	snprintf(name, sizeof(name), "/ncclhang-test-%d", getpid());
	sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	check(sem == SEM_FAILED ? -1 : 0, "sem_open");
	sem_unlink(name);
	return sem;
}

static sem_t *unnamed(void)
{
	sem_t *sem =
		mmap(NULL, sizeof(*sem), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	sem_init(sem, 1, 0);
	return sem;
}

static int set = -1, queue = -1;

/* System V objects outlive the process. */
static void clean(int sig)
{
	(void)sig;
	semctl(set, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	_exit(0);
}

static void *clean_when_input_ends(void *arg)
{
	char buf[64];

	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	clean(0);
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_mutex_t *m = shared_mutex(), *n = shared_mutex();
	sem_t *sem = !strcmp(mode, "named") ? named() : unnamed();
	struct sembuf down = { .sem_op = -1 };
	struct {
		long type;
		char text[8];
	} msg;
	pid_t child = check(fork(), "fork");

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_mutex_lock(m);
		usleep(200000);
		if (!strcmp(mode, "cycle"))
			pthread_mutex_lock(n);
		stay();
	}
	if (!strcmp(mode, "cycle"))
		pthread_mutex_lock(n);
	set = check(semget(IPC_PRIVATE, 1, 0600), "semget");
	queue = check(msgget(IPC_PRIVATE, 0600), "msgget");
	signal(SIGTERM, clean);
	usleep(50000);
	start(clean_when_input_ends, NULL);
	printf("pid=%d other=%d set=%d queue=%d\n", getpid(), child, set, queue);
	fflush(stdout);
	if (!strcmp(mode, "robust") || !strcmp(mode, "cycle"))
		pthread_mutex_lock(m);
	if (!strcmp(mode, "set"))
		semop(set, &down, 1);
	if (!strcmp(mode, "queue"))
		msgrcv(queue, &msg, sizeof(msg.text), 0, 0);
	for (;;)
		sem_wait(sem);
}
