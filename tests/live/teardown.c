/*
 * A process in the shape of NCCL that waits inside itself, without NCCL: names are those of its
 * functions.  Prints what a test compares with; ends when its standard input does.
 *
 *	teardown MODE [LIBRARY]
 *
 * A mode and its healthy twin:
 *	progress, progress-idle	the service thread joins a progress thread that spins
 *	busy, compute		the service thread spins and reads nothing; any thread that computes
 *	cuda, cuda-training	blocked for ever in LIBRARY's cudaStreamSynchronize
 *	cuda-job		spinning there, in the job that the calling thread waits for
 *	cuda-service		the service thread is blocked there
 *	graph, graph-launch	waits for callbacks of CUDA graphs
 *	init, init-server	a rank has not come; any server that waits for clients
 *
 * Built with -DLIBRARY it is LIBRARY, the stand-in for CUDA's runtime.
 */
#ifdef LIBRARY
#include <time.h>
#include <unistd.h>

int cudaStreamSynchronize(void *stream);

/* Any stream but the default one spins. */
int cudaStreamSynchronize(void *stream)
{
	struct timespec now;

	for (;;)
		if (stream)
			clock_gettime(CLOCK_MONOTONIC, &now);
		else
			pause();
	return 0;
}
#else
#include <dlfcn.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include "fixture.h"

static struct {
	volatile int service, progress, other;
} shown;

static pthread_t service, progress;
static bool in_job; /* the caller has another thread tear down */
static int (*cuda_sync)(void *);
static volatile unsigned long work;

static void stand(void)
{
	printf("pid=%d service=%d progress=%d other=%d\n", getpid(), shown.service, shown.progress,
		shown.other);
	fflush(stdout);
}

/* Threads of NCCL. */

static NAMED void *ncclProxyProgress(void *arg)
{
	shown.progress = gettid();
	for (;;)
		sched_yield();
	return arg;
}

static NAMED void *ncclProxyService(void *arg)
{
	const char *what = arg;

	shown.service = gettid();
	if (!strcmp(what, "progress"))
		pthread_join(progress, NULL);
	if (!strcmp(what, "cuda"))
		cuda_sync(NULL);
	while (!strcmp(what, "busy"))
		work++;
	pause();
	return arg;
}

static void start_service(const char *what)
{
	service = start(ncclProxyService, (void *)what);
	wait_for(&shown.service);
}

static void start_progress(void)
{
	progress = start(ncclProxyProgress, NULL);
	wait_for(&shown.progress);
}

/* A connection to the service thread whose other end is closed and whose end nobody reads. */
static void leave_close_wait(void)
{
	int port, listener = listen_any(&port), client = connect_to(port);
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	int accepted = accept_from(listener);

	close(client);
	while (info.tcpi_state != TCP_CLOSE_WAIT)
		check(getsockopt(accepted, IPPROTO_TCP, TCP_INFO, &info, &len), "TCP_INFO");
}

/* The ways into them. */

static NAMED void ncclProxyStop(void)
{
	stand();
	pthread_join(service, NULL);
	STAY();
}

static NAMED void ncclCommPollCallbacks(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;

	stand();
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&arrived, &lock);
}

static NAMED void commDestroySync(void *stream)
{
	if (cuda_sync) {
		stand();
		cuda_sync(stream);
	}
	ncclCommPollCallbacks();
	STAY();
}

static NAMED void commReclaim(void *stream)
{
	if (service)
		ncclProxyStop();
	else
		commDestroySync(stream);
	STAY();
}

static NAMED void *ncclAsyncJobMain(void *arg)
{
	shown.other = gettid();
	commReclaim(arg);
	return NULL;
}

static NAMED void ncclGroupEndInternal(void)
{
	static int stream;

	pthread_join(start(ncclAsyncJobMain, &stream), NULL);
	STAY();
}

static NAMED void ncclCommAbort(void)
{
	if (in_job)
		ncclGroupEndInternal();
	else
		commReclaim(NULL);
	STAY();
}

static NAMED void ncclCommDestroy(void)
{
	commReclaim(NULL);
	STAY();
}

/* Making a communicator. */

static NAMED void *bootstrapRoot(void *arg)
{
	int port;

	shown.other = gettid();
	accept_from(listen_any(&port));
	return arg;
}

/* As in NCCL, it never blocks. */
static NAMED void ncclSocketAccept(int listener)
{
	while (accept4(listener, NULL, NULL, SOCK_NONBLOCK) < 0)
		sched_yield();
}

static NAMED void bootstrapInit(void)
{
	int port, listener = listen_any(&port);

	check(fcntl(listener, F_SETFL, O_NONBLOCK), "fcntl");
	stand();
	ncclSocketAccept(listener);
	STAY();
}

static NAMED void ncclCommInitRank(void)
{
	start(bootstrapRoot, NULL);
	wait_for(&shown.other);
	bootstrapInit();
	STAY();
}

/* Modes. */

static void abort_with_progress(void)
{
	start_progress();
	start_service("progress");
	ncclCommAbort();
}

static void progress_idle(void)
{
	start_progress();
	start_service("idle");
	stand();
}

static void abort_busy(void)
{
	leave_close_wait();
	start_service("busy");
	ncclCommAbort();
}

static NAMED void *compute(void *arg)
{
	shown.other = gettid();
	for (;;)
		work++;
	return arg;
}

static void join_computing(void)
{
	pthread_t t = start(compute, NULL);

	wait_for(&shown.other);
	stand();
	pthread_join(t, NULL);
}

static NAMED void *train(void *arg)
{
	shown.other = gettid();
	cuda_sync(arg);
	return arg;
}

static void train_in_cuda(void)
{
	start(train, NULL);
	wait_for(&shown.other);
	stand();
}

static void abort_in_job(void)
{
	in_job = true;
	ncclCommAbort();
}

static void abort_cuda_service(void)
{
	start_service("cuda");
	ncclCommAbort();
}

static NAMED void serve_clients(void)
{
	int port, listener = listen_any(&port);

	stand();
	accept_from(listener);
}

int main(int argc, char **argv)
{
	/* clang-format off */
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "progress", abort_with_progress }, { "progress-idle", progress_idle },
		{ "busy", abort_busy }, { "compute", join_computing },
		{ "cuda", ncclCommAbort }, { "cuda-training", train_in_cuda },
		{ "cuda-job", abort_in_job }, { "cuda-service", abort_cuda_service },
		{ "graph", ncclCommDestroy }, { "graph-launch", ncclCommPollCallbacks },
		{ "init", ncclCommInitRank }, { "init-server", serve_clients },
	};
	/* clang-format on */
	void *lib = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;

	if (lib)
		cuda_sync = (int (*)(void *))dlsym(lib, "cudaStreamSynchronize");
	if (argc > 2 && !cuda_sync)
		errx(1, "%s", dlerror());
	start(until_input_ends, NULL);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			for (;;)
				pause();
		}
	errx(2, "usage: teardown MODE [LIBRARY]");
}
#endif
