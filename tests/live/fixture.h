/* What the stand-ins that hang in NCCL's shapes share.  Function names are NCCL's where it matters.
 */
#ifndef TESTS_LIVE_FIXTURE_H
#define TESTS_LIVE_FIXTURE_H

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A function with a frame and a name of its own. */
#ifdef __clang__
#define NAMED __attribute__((noinline))
#else
#define NAMED __attribute__((noinline, noclone))
#endif
/* Something to do after a call, so that it is no jump. */
#define STAY() __asm__ volatile("" ::: "memory")

static inline int check(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
	return ret;
}

static inline pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	errno = pthread_create(&t, NULL, fn, arg);
	check(-errno, "pthread_create");
	return t;
}

static inline int wait_for(const volatile int *value)
{
	while (!*value)
		usleep(1000);
	return *value;
}

static inline void *until_input_ends(void *arg)
{
	char buf[64];

	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	_exit(0);
	return arg;
}

/* A listener on a port of the kernel's choice on the loopback interface. */
static inline int listen_any(int *port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int fd = check(socket(AF_INET, SOCK_STREAM, 0), "socket");

	check(bind(fd, (struct sockaddr *)&addr, len), "bind");
	check(listen(fd, 8), "listen");
	check(getsockname(fd, (struct sockaddr *)&addr, &len), "getsockname");
	*port = ntohs(addr.sin_port);
	return fd;
}

static inline int connect_to(int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port) };
	int fd = check(socket(AF_INET, SOCK_STREAM, 0), "socket");

	check(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), "connect");
	return fd;
}

static inline int accept_from(int listener)
{
	return check(accept(listener, NULL, NULL), "accept");
}

#endif
