/*
 * Threads that stand still, or run, at the end of a known chain of calls: gamma ← beta ← alpha.
 * stack_scene MODE [LIBRARY]; says "r" on standard output when it stands.  Built by the test in
 * many ways; with -DLIBRARY it is the library that mode "library" loads.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone))
#endif
/* Something to do after a call, so that it is no jump. */
#define STAY() __asm__ volatile("" ::: "memory")

static volatile int sink;

static void ready(void)
{
	if (write(1, "r", 1) != 1)
		_exit(1);
}

static FRAME void stand(void)
{
	ready();
	for (;;)
		pause();
}

#ifdef LIBRARY
FRAME void in_library(void)
{
	stand();
	STAY();
}
#else
static void (*end)(void) = stand;

FRAME void gamma_end(int n)
{
	char room[40];

	memset(room, n, sizeof(room));
	end();
	sink = room[n & 31];
}

FRAME void beta(int n)
{
	char room[300];

	memset(room, n, sizeof(room));
	gamma_end(n + 1);
	sink = room[n & 31];
}

FRAME void alpha(int n)
{
	beta(n + 1);
	STAY();
}

FRAME void with_alloca(int n)
{
	char *room = alloca((size_t)n * 16 + 64);

	memset(room, n, 64);
	gamma_end(n);
	sink = room[n & 31];
}

FRAME void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		gamma_end(n);
	STAY();
}

static inline __attribute__((always_inline)) void small_helper(int n)
{
	gamma_end(n);
	STAY();
}

FRAME void inlining(int n)
{
	small_helper(n);
	STAY();
}

FRAME void on_alternate_stack(int sig)
{
	gamma_end(sig);
	STAY();
}

FRAME void interrupted(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	STAY();
}

static FRAME void spin(void)
{
	ready();
	for (;;)
		sink++;
}

/* epoll_wait is never restarted: whoever stopped this thread is found out. */
static FRAME void wait_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	ready();
	while (epoll_wait(fd, &event, 1, -1) >= 0)
		;
	_exit(errno == EINTR ? 9 : 1);
}

FRAME void vforker(void)
{
	if (!vfork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ready();
		for (;;)
			pause();
	}
	STAY();
}

/* Code without unwind information, named by the map that just-in-time compilers write for perf. */
static FRAME void generated(void)
{
	static const unsigned char call_rdi[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83,
		0xc4, 0x08, 0xc3 };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	memcpy(code, call_rdi, sizeof(call_rdi));
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		_exit(1);
	fprintf(f, "1000 10 far_away\n%lx 40 compiled_code\n", (unsigned long)code);
	fclose(f);
	((void (*)(void (*)(void)))code)(stand);
	STAY();
}

static void *thread_main(void *arg)
{
	alpha(1);
	return arg;
}

static FRAME void in_thread(int n)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_main, NULL))
		_exit(1);
	pthread_join(t, NULL);
}

static FRAME int in_loaded(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*fn)(void) = lib ? (void (*)(void))dlsym(lib, "in_library") : NULL;

	if (!fn)
		return 1;
	end = fn;
	alpha(1);
	STAY();
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	alarm(60); /* a test that dies leaves nothing behind */
	if (!strcmp(mode, "spin"))
		end = spin;
	if (!strcmp(mode, "epoll"))
		end = wait_epoll;
	if (!strcmp(mode, "library") && argc > 2)
		return in_loaded(argv[2]);
	if (!strcmp(mode, "alloca"))
		with_alloca(argc);
	else if (!strcmp(mode, "deep"))
		deep(500);
	else if (!strcmp(mode, "inlined"))
		inlining(argc);
	else if (!strcmp(mode, "signal"))
		interrupted();
	else if (!strcmp(mode, "generated"))
		generated();
	else if (!strcmp(mode, "vfork"))
		vforker();
	else if (!strcmp(mode, "thread"))
		in_thread(argc);
	else
		alpha(argc);
	return 0;
}
#endif
