/*
 * Native code that blocks in a Python process, with or without the GIL: a library that gil.py
 * loads.  The GIL is taken through what the process exports, so that it serves every CPython.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, never;

static void *python(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, name);

	if (!f)
		abort();
	return f;
}

static void want_gil(void)
{
	((int (*)(void))python("PyGILState_Ensure"))();
}

static void *locks_and_asks(void *unused)
{
	pthread_mutex_lock(&mutex);
	sem_post(&ready);
	want_gil();
	return NULL;
}

static void *asks(void *unused)
{
	sem_post(&ready);
	want_gil();
	sem_post(&never);
	return NULL;
}

static void begin(void *(*thread)(void *))
{
	pthread_t t;

	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	if (pthread_create(&t, NULL, thread, NULL))
		abort();
	sem_wait(&ready);
}

/* The owner of the mutex wants the GIL. */
void wait_for_mutex(void)
{
	begin(locks_and_asks);
	pthread_mutex_lock(&mutex);
}

/* Only a thread that wants the GIL would wake the caller, and no owner is written anywhere. */
void wait_for_post(void)
{
	begin(asks);
	sem_wait(&never);
}

/* Takes what it has: pybind11's gil_scoped_acquire in a destructor did that. */
void take_again(void)
{
	void *state = ((void *(*)(void))python("PyThreadState_Get"))();

	((void (*)(void *))python("PyEval_RestoreThread"))(state);
}

/* In the name of what would wait for another rank. */
void MPI_Wait(void)
{
	for (;;)
		usleep(100000);
}

/* In the name of what would wait for the GPU. */
void cuStreamSynchronize(void)
{
	for (;;)
		usleep(100000);
}

void nap(int seconds)
{
	sleep((unsigned)seconds);
}

void spin(int seconds)
{
	time_t until = time(NULL) + seconds;

	while (time(NULL) < until)
		;
}

/* The owner of the mutex sleeps on, and would give it back. */
static void *locks_and_naps(void *unused)
{
	pthread_mutex_lock(&mutex);
	sem_post(&ready);
	sleep(1000);
	return NULL;
}

void wait_for_napper(void)
{
	begin(locks_and_naps);
	pthread_mutex_lock(&mutex);
}
