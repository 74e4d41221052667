/*
 * A process in the shape of NCCL's teardown without NCCL: a service thread polls 65 slots, a thread
 * joins it, and the client end of its peer connection lives on in the place the argument names.
 * Prints what a test compares with; ends when its standard input does, taking its children along.
 *
 *	service MODE [idle]	idle: the same shape, but nobody joins
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 65, HELPERS = 3 };

struct comm {
	pthread_t service;
	int listener, accepted, client;
	volatile pid_t tid;
};

static struct {
	pid_t helper[HELPERS]; /* its children with a copy of the client end */
	volatile pid_t tid;    /* the thread with a special role */
} shown;

static int check(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
	return ret;
}

static pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	errno = pthread_create(&t, NULL, fn, arg);
	check(-errno, "pthread_create");
	return t;
}

/* A connection over loopback: the two ends and the listener, or -1 for one that is closed. */
static void connect_pair(int *listener, int *client, int *accepted)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);

	*listener = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
	check(bind(*listener, (struct sockaddr *)&addr, len), "bind");
	check(listen(*listener, 8), "listen");
	check(getsockname(*listener, (struct sockaddr *)&addr, &len), "getsockname");
	*client = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
	check(connect(*client, (struct sockaddr *)&addr, len), "connect");
	*accepted = check(accept(*listener, NULL, NULL), "accept");
}

static void *serve(void *arg)
{
	struct comm *c = arg;
	struct pollfd fds[SLOTS];
	char byte;

	c->tid = gettid();
	for (int i = 0; i < SLOTS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
	fds[0] = (struct pollfd){ .fd = c->accepted, .events = POLLIN };
	fds[SLOTS - 1] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
	do
		poll(fds, SLOTS, 500);
	while (!fds[0].revents || read(c->accepted, &byte, 1) > 0);
	close(c->accepted);
	return NULL;
}

static void open_comm(struct comm *c)
{
	connect_pair(&c->listener, &c->client, &c->accepted);
	c->service = start(serve, c);
	while (!c->tid)
		usleep(1000);
}

static void *until_input_ends(void *arg)
{
	char buf[64];

	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	_exit(0);
	return arg;
}

/* A child that keeps what it inherits; as that user, if one is given. */
static pid_t fork_helper(uid_t uid)
{
	pid_t rank = getpid(), pid = check(fork(), "fork");

	if (pid)
		return pid;
	if (uid)
		check(setresuid(uid, uid, uid), "setresuid");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "helper");
	if (getppid() != rank)
		_exit(0);
	until_input_ends(NULL); /* another user's end does not kill it */
	return 0;
}

static void *read_client(void *arg)
{
	char byte;

	shown.tid = gettid();
	return read(((struct comm *)arg)->client, &byte, 1) < 0 ? arg : NULL;
}

static void *keep_own_table(void *arg)
{
	check(unshare(CLONE_FILES), "unshare");
	shown.tid = gettid();
	for (;;)
		pause();
	return arg;
}

static void *join(void *arg)
{
	shown.tid = gettid();
	pthread_join(((struct comm *)arg)->service, NULL);
	return NULL;
}

static void send_into_flight(int fd)
{
	int pair[2];
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec data = { "x", 1 };
	struct msghdr msg = { .msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room) };

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	check((int)sendmsg(pair[0], &msg, 0), "sendmsg");
}

/* Connections that resemble the one that matters: half closed, idle, and a bootstrap ring. */
static void open_decoys(void)
{
	int listener, client, accepted;

	for (int i = 0; i < 4; i++) {
		connect_pair(&listener, &client, &accepted);
		if (i % 2)
			close(client); /* leaves CLOSE_WAIT */
		close(listener);
	}
}

static void print(const struct comm *c, unsigned long inode)
{
	printf("pid=%d service=%d inode=%lu fd=%d tid=%d helper=%d helper2=%d helper3=%d\n",
		getpid(), c->tid, inode, c->client, shown.tid, shown.helper[0], shown.helper[1],
		shown.helper[2]);
	fflush(stdout);
}

static const char *mode;

static bool is(const char *name)
{
	return !strcmp(mode, name);
}

static void *rank(void *arg)
{
	static struct comm c, healthy;
	struct stat st;
	bool idle = arg;

	open_comm(&c);
	if (is("decoys"))
		open_decoys();
	if (is("reader"))
		start(read_client, &c);
	else if (is("unshared"))
		start(keep_own_table, NULL);
	else if (is("flight"))
		send_into_flight(c.client);
	else
		for (int i = 0; i < (is("helpers") ? HELPERS : 1); i++)
			shown.helper[i] = fork_helper(is("foreign") ? 65533 : 0);
	if (is("two")) /* after the fork: no copy of this one's client end */
		open_comm(&healthy);
	while ((is("reader") || is("unshared")) && !shown.tid)
		usleep(1000);
	usleep(50000);
	fstat(c.client, &st);
	if (is("foreign")) { /* becomes an ordinary user's process, as if it had always been one */
		check(setresgid(65534, 65534, 65534), "setresgid");
		check(setresuid(65534, 65534, 65534), "setresuid");
	}
	prctl(PR_SET_DUMPABLE, !is("undumpable"));
	close(c.client);

	pthread_t watched = c.service;

	if (is("watchdog") && !idle) {
		watched = start(join, &c);
		while (!shown.tid)
			usleep(1000);
	}
	print(&c, st.st_ino);
	if (!idle)
		pthread_join(watched, NULL);
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "usage: service MODE [idle]");
	mode = argv[1];
	start(until_input_ends, NULL);
	if (!is("leaderless"))
		rank(argc > 2 ? argv : NULL);
	start(rank, argc > 2 ? argv : NULL);
	pthread_exit(NULL);
}
