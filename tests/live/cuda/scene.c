/*
 * Threads in the fake driver: scene FUNCTION...  Each function is called for ever by a thread of
 * its own, in this order.  Prints pid=N first=N second=N (their TIDs) and ends when its input does.
 */
#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 4 };

static struct {
	const char *name;
	volatile pid_t tid;
} calls[MOST];

int ncclGroupEnd(void);
int cuCtxSynchronize(void);

static void *call(void *which)
{
	int (*f)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, calls[(size_t)which].name);

	if (!f)
		errx(1, "no %s", calls[(size_t)which].name);
	calls[(size_t)which].tid = gettid();
	for (;;)
		f();
	return NULL;
}

int main(int argc, char **argv)
{
	char c;

	for (int i = 1; i < argc && i <= MOST; i++) {
		pthread_t t;

		calls[i - 1].name = argv[i];
		if (pthread_create(&t, NULL, call, (void *)(size_t)(i - 1)))
			err(1, "pthread_create");
		while (!calls[i - 1].tid)
			usleep(1000);
		/* Until it is where it stays. */
		usleep(100000);
	}
	printf("pid=%d first=%d second=%d\n", getpid(), calls[0].tid, calls[1].tid);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	/* Linked, not only loaded by name. */
	return argc > 100 ? ncclGroupEnd() + cuCtxSynchronize() : 0;
}
