/*
 * A libcuda.so.1 without a GPU: functions with the driver's names that wait as its own do.  "The
 * GPU" never finishes anything; calls of the healthy scenes are those that return at once.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t contexts = PTHREAD_RWLOCK_INITIALIZER;

static void gpu_works_for(int ms)
{
	poll(NULL, 0, ms);
}

/* As with cudaDeviceScheduleBlockingSync … */
static void gpu_never_ends(void)
{
	for (;;)
		gpu_works_for(-1);
}

/* … and with cudaDeviceScheduleYield. */
static void gpu_spins(void)
{
	for (;;)
		sched_yield();
}

int cuCtxSynchronize(void)
{
	pthread_mutex_lock(&mutex);
	gpu_spins();
	return pthread_mutex_unlock(&mutex);
}

int cuMemAlloc_v2(void)
{
	pthread_mutex_lock(&mutex);
	return pthread_mutex_unlock(&mutex);
}

/* Readers leave no owner in a read-write lock. */
int cuStreamSynchronize(void)
{
	pthread_rwlock_rdlock(&contexts);
	gpu_never_ends();
	return pthread_rwlock_unlock(&contexts);
}

int cuModuleLoadData(void)
{
	pthread_rwlock_wrlock(&contexts);
	return pthread_rwlock_unlock(&contexts);
}

int cuMemFree_v2(void)
{
	gpu_never_ends();
	return 0;
}

/* With CUDA_LAUNCH_BLOCKING=1, or while the stream is full. */
int cuLaunchKernel(void)
{
	gpu_never_ends();
	return 0;
}

/* Work that ends, under the lock. */
int cuEventSynchronize(void)
{
	pthread_mutex_lock(&mutex);
	gpu_works_for(20);
	return pthread_mutex_unlock(&mutex);
}
