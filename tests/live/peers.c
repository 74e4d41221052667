/*
 * Processes in the shape of NCCL's teardown without NCCL: a rank whose service thread counts a
 * connection from another process as a live peer, and joins that thread.  Prints what a test
 * compares with; ends when its standard input does.
 *
 *	peers MODE [idle]	idle: the same shape, but nobody joins
 *
 * peer-rank	the other one is a rank that does not tear down
 * cycle	so is each for the other, and both tear down
 * watchdog	peer-rank, but main joins a thread that joins, and has a second, healthy
 *communicator cross	the other rank has closed its end, a child of it holds a copy
 * orphan	cross, and that rank has been killed
 * older	the other one is no rank, and older than the service thread
 * silent	the other one is no rank and says nothing; the service thread is still in the
 *handshake
 */
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include "fixture.h"

enum { SLOTS = 65, PEERS = 2 };

struct comm {
	pthread_t service;
	int listener, client, peer[PEERS]; /* client: to itself, at peer 0 */
	volatile pid_t tid;
};

/* In memory that all the processes share. */
static struct {
	struct {
		volatile int pid, service, port, fd, ready;
	} rank[2];
	volatile int helper;
} * shown;

static const char *mode;
static bool idle;

static bool is(const char *name)
{
	return !strcmp(mode, name);
}

/* As in NCCL, it looks at nothing else until the other side has introduced itself. */
static NAMED void ncclSocketAccept(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) < 0)
		sched_yield();
}

static NAMED void *ncclProxyService(void *arg)
{
	struct comm *c = arg;
	struct pollfd fds[SLOTS];
	int live = 0;

	c->tid = gettid();
	for (int i = 0; i < SLOTS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
	for (int i = 0; i < PEERS; i++) {
		fds[i] = (struct pollfd){ .fd = c->peer[i], .events = POLLIN };
		live += c->peer[i] >= 0;
	}
	fds[SLOTS - 1] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
	if (is("silent") && c->peer[1] >= 0)
		ncclSocketAccept(c->peer[1]);
	while (live) {
		poll(fds, SLOTS, 500);
		for (int i = 0; i < PEERS; i++)
			if (fds[i].fd >= 0 && fds[i].revents) {
				close(fds[i].fd);
				fds[i].fd = -1;
				live--;
			}
	}
	return NULL;
}

static NAMED void ncclProxyStop(struct comm *c)
{
	close(c->client);
	pthread_join(c->service, NULL);
	STAY();
}

static NAMED void commReclaim(struct comm *c)
{
	ncclProxyStop(c);
	STAY();
}

static NAMED void ncclCommAbort(struct comm *c)
{
	commReclaim(c);
	STAY();
}

static void *abort_for_another(void *arg)
{
	ncclCommAbort(arg);
	return NULL;
}

/* A listener and a connection to it, as every communicator has them. */
static void open_comm(struct comm *c, int *port)
{
	c->listener = listen_any(port);
	c->client = connect_to(*port);
	c->peer[0] = accept_from(c->listener);
	c->peer[1] = -1;
}

static void serve(struct comm *c)
{
	c->service = start(ncclProxyService, c);
	wait_for(&c->tid);
}

/* The child ends with its input, not with its parent. */
static void leave_copy_to_child(int fd)
{
	pid_t pid = check(fork(), "fork");

	if (!pid) {
		prctl(PR_SET_NAME, "helper");
		until_input_ends(NULL);
	}
	shown->helper = pid;
	close(fd);
}

static void rank(int me)
{
	static struct comm comm, healthy;
	int port;

	open_comm(&comm, &port);
	shown->rank[me].port = port;
	if (me || is("cycle"))
		shown->rank[me].fd = connect_to(wait_for(&shown->rank[!me].port));
	if (!me || is("cycle"))
		comm.peer[1] = accept_from(comm.listener);
	serve(&comm);
	shown->rank[me].service = comm.tid;
	if (is("watchdog") && !me) {
		open_comm(&healthy, &port);
		serve(&healthy);
	}
	wait_for(&shown->rank[0].service);
	if (me && (is("cross") || is("orphan")))
		leave_copy_to_child(shown->rank[me].fd);
	shown->rank[me].ready = 1;
	if (me && is("orphan"))
		raise(SIGKILL);
	wait_for(&shown->rank[!me].ready);
	if (idle || (me && !is("cycle")))
		return;
	if (is("watchdog"))
		pthread_join(start(abort_for_another, &comm), NULL);
	ncclCommAbort(&comm);
}

/* What connects to every open port and then says nothing. */
static void scanner(int me)
{
	prctl(PR_SET_NAME, "scanner");
	shown->rank[me].fd = connect_to(wait_for(&shown->rank[!me].port));
	shown->rank[me].ready = 1;
}

static void spawn(void (*fn)(int), int me)
{
	pid_t parent = getpid(), pid = check(fork(), "fork");

	if (pid) {
		shown->rank[me].pid = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	fn(me);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "usage: peers MODE [idle]");
	mode = argv[1];
	idle = argc > 2;
	shown = mmap(
		NULL, sizeof(*shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shown == MAP_FAILED)
		err(1, "mmap");
	signal(SIGCHLD, SIG_IGN);
	if (is("older")) {
		spawn(scanner, 1);
		usleep(50000); /* more than a tick */
	}
	spawn(rank, 0);
	if (!is("older"))
		spawn(is("silent") ? scanner : rank, 1);
	for (int i = 0; i < 2; i++)
		wait_for(&shown->rank[i].ready);
	usleep(50000);
	printf("pid=%d service=%d peer=%d peer_service=%d fd=%d peer_fd=%d helper=%d\n",
		shown->rank[0].pid, shown->rank[0].service, shown->rank[1].pid,
		shown->rank[1].service, shown->rank[0].fd, shown->rank[1].fd, shown->helper);
	fflush(stdout);
	until_input_ends(NULL);
	return 0;
}
