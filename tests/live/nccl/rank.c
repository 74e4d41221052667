/* A rank, and the helpers it forks. */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "deaf.h"
#include "fake.h"
#include "scene.h"

enum { MAX_FD = 256, MAX_COMMS = 2 };

struct action {
	int (*teardown)(void *comm);
	void *comm;
	struct rank *self;
};

/* Holds what it inherited until the scene ends, whoever else dies. */
static _Noreturn void helper(const struct part *h)
{
	int fd;

	prctl(PR_SET_NAME, "helper");
	if (h->scene->exec) {
		dup2(h->lifeline, STDIN_FILENO);
		execlp("cat", "helper", (char *)NULL);
		err(1, "cat");
	}
	while (read(h->lifeline, &fd, sizeof(fd)) == sizeof(fd))
		close(fd);
	_exit(0);
}

static void fork_helpers(const struct part *h, struct rank *self)
{
	for (int i = 0; i < h->scene->helpers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid)
			helper(h);
		self->helper[i] = pid;
	}
}

/*
 * The truth that the inspector has to find, read from inside and while all is well: the service
 * thread polls its peers and, in the last of 65 or more slots, its listener.
 */
static bool find_proxy(pid_t tid, struct rank *self)
{
	enum { SERVICE_SLOTS = 65 };
	char path[64], line[128] = "";
	unsigned long nr, slots;
	const struct pollfd *at;
	socklen_t len = sizeof(self->proxy);
	int fd, got;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	got = (int)read(fd, line, sizeof(line) - 1);
	close(fd);
	if (got < 0 || sscanf(line, "%lu %p %lx", &nr, (void **)&at, &slots) != 3)
		return false;
	if (nr != SYS_poll || slots < SERVICE_SLOTS)
		return false;
	self->service = tid;
	return !getsockname(at[slots - 1].fd, (struct sockaddr *)&self->proxy, &len);
}

static void find_own_proxy(struct rank *self)
{
	bool found = false;

	while (!found) {
		DIR *tasks = opendir("/proc/self/task");
		const struct dirent *e;

		if (!tasks)
			err(1, "/proc/self/task");
		while (!found && (e = readdir(tasks)))
			found = find_proxy((pid_t)strtol(e->d_name, NULL, 10), self);
		closedir(tasks);
	}
}

/*
 * Rank 0's descriptor that is connected to the victim's proxy; its helpers have it under the same
 * number.
 */
static void find_connection(const struct part *h)
{
	const struct rank *victim = &h->shared->rank[h->scene->victim];

	while (victim->phase < READY && h->scene->victim != 0)
		usleep(1000);
	for (int fd = 3; fd < MAX_FD; fd++) {
		struct sockaddr_storage peer = { 0 };
		socklen_t len = sizeof(peer);

		if (!getpeername(fd, (struct sockaddr *)&peer, &len) &&
			!memcmp(&peer, &victim->proxy, len))
			h->shared->fd = fd;
	}
}

static void must(const struct nccl *nccl, int result, const char *what)
{
	if (result)
		errx(1, "%s: ncclResult %d: %s", what, result, nccl->last_error(NULL));
}

static void init(const struct part *h, const struct nccl *nccl, int rank, void **comm)
{
	struct shared *sh = h->shared;

	if (rank == 0) {
		must(nccl, nccl->get_unique_id(&sh->id), "ncclGetUniqueId");
		sh->has_id = true;
	}
	while (!sh->has_id)
		usleep(1000);
	sh->rank[rank].phase = INIT;
	must(nccl, nccl->init_rank(comm, (int)strlen(h->scene->acts), sh->id, rank), "init");
	for (int i = 1; i < h->scene->comms; i++) {
		struct nccl_id own;

		must(nccl, nccl->get_unique_id(&own), "ncclGetUniqueId");
		must(nccl, nccl->init_rank(&comm[i], 1, own, 0), "init of another communicator");
	}
}

static void *act(void *arg)
{
	struct action *a = arg;

	a->self->actor = gettid();
	setenv(DEAF_NOW, "1", 1);
	a->self->phase = ACTING;
	a->self->result = a->teardown(a->comm);
	a->self->phase = RETURNED;
	return NULL;
}

static void wait_for_orders(int orders)
{
	char byte;

	if (read(orders, &byte, 1) != 1)
		_exit(0);
}

_Noreturn void rank_run(const struct part *h, int rank)
{
	struct nccl nccl;
	struct rank *self = &h->shared->rank[rank];
	void *comm[MAX_COMMS];
	char what = h->scene->acts[rank];
	struct action action = { .self = self };
	char name[16];

	snprintf(name, sizeof(name), "rank%d", rank);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* Yama lets only ancestors look otherwise */
	if (what == ACT_ABSENT)
		wait_for_orders(h->orders);
	nccl_load(h->lib, h->symbols, &nccl);
	fake_use(rank);
	init(h, &nccl, rank, comm);
	if (rank == 0)
		fork_helpers(h, self);
	find_own_proxy(self);
	if (rank == 0)
		find_connection(h);
	self->phase = READY;
	wait_for_orders(h->orders);
	action.teardown = what == ACT_ABORT ? nccl.abort : nccl.destroy;
	action.comm = *comm;
	if (what != ACT_STAY && h->scene->thread) {
		pthread_t t;

		pthread_create(&t, NULL, act, &action);
		pthread_join(t, NULL);
	} else if (what != ACT_STAY) {
		act(&action);
	}
	for (;;)
		wait_for_orders(h->orders);
}
