/*
 * scene LIB SCENE [SYMBOLS]: a job of one to three ranks of the NCCL in LIB, healthy or really
 * hung.  SYMBOLS is the file with LIB's symbol table, if that is another.  Once the scene stands,
 * which it verifies, it prints
 *	pid=N actor=T service=S holder=M[,M…] fd=F opener=P
 * pid: the process to inspect; actor: its thread in teardown; service: the thread of its proxy;
 * holder: who keeps it waiting, 0 = nobody; fd: by which descriptor; opener: the rank that opened
 * that and forked the helpers.  Then it prints what happens.  On stdin:
 *	go		every rank acts (scenes that stand before that)
 *	close FD	the helper closes its descriptor
 * It ends, and everything of it, when stdin is closed, by SIGTERM, or when it is killed.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "scene.h"

enum { SETUP_MS = 30000, SETTLE_MS = 1200, TICK_MS = 20 };

static const struct scene scenes[] = {
	{ "healthy", "h", .stands = READY, .helpers = 1 },
	{ "healthy-ranks", "hh", .stands = READY, .helpers = 1 },
	{ "abort", "a", .stands = READY, .helpers = 1 },
	{ "destroy", "d", .stands = READY, .helpers = 1 },
	{ "orphan", "xaa", 2, ACTING, .helpers = 1, .line = true },
	{ "held", "a", 0, ACTING, .helpers = 1, .deaf = true },
	{ "held-exec", "a", 0, ACTING, .helpers = 1, .exec = true, .deaf = true },
	{ "held-three", "a", 0, ACTING, .helpers = 3, .deaf = true },
	{ "held-thread", "a", 0, ACTING, .helpers = 1, .thread = true, .deaf = true },
	{ "held-comms", "a", 0, ACTING, .helpers = 1, .comms = 2, .deaf = true },
	{ "cross-rank", "aaa", 2, ACTING, .helpers = 1, .line = true, .deaf = true },
	{ "stray", "d", 0, ACTING, .stray = true },
	{ "peer-rank", "hha", 2, ACTING, .line = true },
	{ "init", "h-", 0, INIT },
};

struct job {
	const struct scene *scene;
	struct shared *shared;
	int nranks;
	int orders[MAX_RANKS]; /* write ends; closed on exec and in every child */
	int lifeline;
	pid_t stray;
};

static volatile sig_atomic_t ended;

static void end(int sig)
{
	ended = 1;
}

static const struct scene *find_scene(const char *name)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		if (!strcmp(scenes[i].name, name))
			return &scenes[i];
	errx(64, "no scene %s", name);
}

static void preload(const struct scene *s, char **argv)
{
	char *self, *lib;

	if (!s->deaf || getenv("LD_PRELOAD"))
		return;
	self = beside("scene");
	lib = beside("deaf.so");
	setenv("LD_PRELOAD", lib, 1);
	execv(self, argv);
	err(1, "%s", self);
}

static void set_environment(const struct scene *s)
{
	static const char *const settings[][2] = {
		{ "NCCL_CUMEM_ENABLE", "0" },
		{ "NCCL_CUMEM_HOST_ENABLE", "0" },
		{ "NCCL_NVLS_ENABLE", "0" },
		{ "NCCL_MNNVL_ENABLE", "0" },
		{ "NCCL_IB_DISABLE", "1" },
		{ "NCCL_NET", "Socket" },
		{ "NCCL_SOCKET_IFNAME", "lo" },
	};
	char *topology = beside("line-of-three.xml");

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		setenv(settings[i][0], settings[i][1], 0);
	if (s->line)
		setenv("NCCL_TOPO_FILE", topology, 1);
	else
		setenv("NCCL_P2P_DISABLE", "1", 1);
	free(topology);
}

static pid_t fork_child(void)
{
	pid_t parent = getpid(), ret = fork();

	if (ret < 0)
		err(1, "fork");
	if (!ret) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGTERM, SIG_DFL);
		if (getppid() != parent)
			_exit(1);
	}
	return ret;
}

static void start_ranks(struct job *job, const char *lib, const char *symbols)
{
	struct part h = { job->scene, job->shared, lib, symbols, -1, -1 };
	int life[2], orders[2];

	if (pipe2(life, O_CLOEXEC))
		err(1, "pipe");
	job->lifeline = life[1];
	h.lifeline = life[0];
	for (int i = 0; i < job->nranks; i++) {
		pid_t pid;

		if (pipe2(orders, O_CLOEXEC))
			err(1, "pipe");
		job->orders[i] = orders[1];
		h.orders = orders[0];
		pid = fork_child();
		if (!pid) {
			for (int k = 0; k <= i; k++)
				close(job->orders[k]);
			close(job->lifeline);
			rank_run(&h, i);
		}
		job->shared->rank[i].pid = pid;
		close(orders[0]);
	}
	close(life[0]);
}

static void tick(void)
{
	poll(NULL, 0, TICK_MS);
	if (ended)
		exit(0);
}

static int phase(const struct job *job, int i)
{
	return job->shared->rank[i].phase;
}

static void reach(const struct job *job, int i, int wanted)
{
	for (int ms = 0; phase(job, i) < wanted; ms += TICK_MS) {
		if (waitpid(job->shared->rank[i].pid, NULL, WNOHANG) > 0)
			errx(1, "rank %d ended", i);
		if (ms > SETUP_MS)
			errx(1, "rank %d does not get to phase %d", i, wanted);
		tick();
	}
}

static void go(const struct job *job)
{
	for (int i = 0; i < job->nranks; i++)
		if (job->scene->acts[i] == ACT_DIE) {
			kill(job->shared->rank[i].pid, SIGKILL);
			waitpid(job->shared->rank[i].pid, NULL, 0);
		}
	for (int i = 0; i < job->nranks; i++)
		if (job->scene->acts[i] != ACT_DIE && write(job->orders[i], "g", 1) != 1)
			err(1, "orders");
}

/* A client that is no NCCL: connects to rank 0's proxy and says nothing. */
static _Noreturn void stray(const struct job *job)
{
	const struct sockaddr_storage *to = &job->shared->rank[0].proxy;
	int fd;

	prctl(PR_SET_NAME, "stray");
	close(job->lifeline);
	for (int i = 0; i < job->nranks; i++)
		close(job->orders[i]);
	fd = socket(to->ss_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		err(1, "connect");
	job->shared->fd = fd;
	for (;;)
		pause();
}

static void start_stray(struct job *job)
{
	job->shared->fd = -1;
	job->stray = fork_child();
	if (!job->stray)
		stray(job);
	while (job->shared->fd < 0) {
		if (waitpid(job->stray, NULL, WNOHANG) > 0)
			errx(1, "the stray client ended");
		tick();
	}
}

static void set_up(struct job *job)
{
	const struct scene *s = job->scene;

	for (int i = 0; s->stands >= READY && i < job->nranks; i++)
		reach(job, i, READY);
	if (s->stray)
		start_stray(job);
	if (s->stands == ACTING)
		go(job);
	reach(job, s->victim, (int)s->stands);
	if (s->stands == READY)
		return;
	for (int ms = 0; ms < SETTLE_MS; ms += TICK_MS)
		tick();
	if (phase(job, s->victim) != (int)s->stands)
		errx(1, "%s does not hang", s->name);
}

static void print_holders(const struct job *job)
{
	const struct scene *s = job->scene;
	const struct rank *first = &job->shared->rank[0];

	if (s->stray)
		printf("%d", (int)job->stray);
	else if (s->stands != ACTING)
		printf("0");
	else if (!s->helpers)
		printf("%d,%d", (int)first[0].pid, (int)first[1].pid);
	for (int i = 0; s->stands == ACTING && i < s->helpers; i++)
		printf("%s%d", i ? "," : "", (int)first->helper[i]);
}

static void print_scene(const struct job *job)
{
	const struct rank *victim = &job->shared->rank[job->scene->victim];

	printf("pid=%d actor=%d service=%d holder=", (int)victim->pid, (int)victim->actor,
		(int)victim->service);
	print_holders(job);
	printf(" fd=%d opener=%d\n", job->shared->fd, (int)job->shared->rank[0].pid);
	fflush(stdout);
}

static void obey(const struct job *job, const char *order)
{
	int fd;

	if (!strncmp(order, "go", 2))
		go(job);
	else if (sscanf(order, "close %d", &fd) == 1 &&
		 write(job->lifeline, &fd, sizeof(fd)) != sizeof(fd))
		err(1, "lifeline");
}

static void serve(const struct job *job)
{
	bool told[MAX_RANKS] = { false };
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char order[64];

	while (!ended) {
		if (poll(&in, 1, TICK_MS) > 0) {
			ssize_t n = read(STDIN_FILENO, order, sizeof(order) - 1);

			if (n <= 0)
				return;
			order[n] = '\0';
			obey(job, order);
		}
		for (int i = 0; i < job->nranks; i++)
			if (!told[i] && phase(job, i) == RETURNED) {
				told[i] = true;
				printf("rank %d: returned %d\n", i, job->shared->rank[i].result);
				fflush(stdout);
			}
	}
}

int main(int argc, char **argv)
{
	struct sigaction on_end = { .sa_handler = end };
	struct job job = { 0 };

	if (argc < 3)
		errx(64, "usage: scene LIB SCENE [SYMBOLS]");
	job.scene = find_scene(argv[2]);
	job.nranks = (int)strlen(job.scene->acts);
	preload(job.scene, argv);
	set_environment(job.scene);
	job.shared = mmap(NULL, sizeof(*job.shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job.shared == MAP_FAILED)
		err(1, "mmap");
	sigaction(SIGTERM, &on_end, NULL);
	sigaction(SIGINT, &on_end, NULL);
	start_ranks(&job, argv[1], argv[argc > 3 ? 3 : 1]);
	set_up(&job);
	print_scene(&job);
	serve(&job);
	return 0;
}
