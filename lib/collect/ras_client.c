/*
 * NCCL 2.24.3 to 2.30.3, ras/client_support.cc: commands are lines, case-insensitive.  The server
 * closes the connection behind the answer to STATUS.
 */
#include "collect/ras_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"

enum { ANSWER_MAX = 256 << 10, LINE_MAX_BYTES = 256, LEG_MAX_S = 60 };

struct client {
	int fd;
	int64_t until;
	char *buf;
	size_t n; /* bytes in it */
};

size_t nh_ras_endpoints(const char *where, struct nh_addr ret[NH_RAS_ENDS])
{
	static const unsigned char any6[16] = { [15] = 1 }, any4[4] = { 127, 0, 0, 1 };
	const char *colon = strrchr(where, ':');
	unsigned char ip[16];
	char host[64], *end;
	long port = colon ? strtol(colon + 1, &end, 10) : 0;
	size_t n;

	if (!colon || *end || port <= 0 || port > UINT16_MAX)
		return 0;
	n = (size_t)(colon - where);
	if (n > 2 && *where == '[' && colon[-1] == ']') {
		where++;
		n -= 2;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(n < sizeof(host) ? n : sizeof(host)), where);
	if (!strcmp(host, "localhost")) {
		nh_addr_set(&ret[0], any6, sizeof(any6), (uint16_t)port);
		nh_addr_set(&ret[1], any4, sizeof(any4), (uint16_t)port);
		return 2;
	}
	if (inet_pton(AF_INET, host, ip) == 1)
		nh_addr_set(&ret[0], ip, 4, (uint16_t)port);
	else if (inet_pton(AF_INET6, host, ip) == 1)
		nh_addr_set(&ret[0], ip, 16, (uint16_t)port);
	else
		return 0;
	return 1;
}

/* Until the socket is ready for `events`, or the deadline. */
static int wait_for(const struct client *c, short events)
{
	struct pollfd p = { .fd = c->fd, .events = events };
	int64_t left = c->until - nh_now_ms();
	int r;

	do {
		r = poll(&p, 1, left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);
		left = c->until - nh_now_ms();
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r ? 0 : -ETIMEDOUT;
}

static int dial(struct client *c, const struct nh_addr *to)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(to->port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(to->port) };
	bool is_v4 = !memcmp(to->ip, mapped, sizeof(mapped));
	int err = 0, r;
	socklen_t len = sizeof(err);

	memcpy(&v6.sin6_addr, to->ip, 16);
	memcpy(&v4.sin_addr, to->ip + 12, 4);
	c->fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return -errno;
	r = is_v4 ? connect(c->fd, (struct sockaddr *)&v4, sizeof(v4))
		  : connect(c->fd, (struct sockaddr *)&v6, sizeof(v6));
	if (!r || errno != EINPROGRESS)
		return r ? -errno : 0;
	r = wait_for(c, POLLOUT);
	if (!r && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	return r ? r : -err;
}

/* A command fits into any socket's buffer: what cannot be sent whole has no reader. */
static int say(const struct client *c, const char *line)
{
	ssize_t n = send(c->fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);

	return n < 0 ? -errno : (size_t)n == strlen(line) ? 0 : -EPROTO;
}

/* More bytes; 0 at the end, also where the other side broke off. */
static ssize_t hear(struct client *c, size_t max)
{
	ssize_t n;

	do {
		int r = wait_for(c, POLLIN);

		if (r)
			return r;
		n = recv(c->fd, c->buf + c->n, max - c->n, MSG_DONTWAIT);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (n < 0)
		return -errno;
	c->n += (size_t)n;
	return n;
}

/* The reply to one command: a line that begins with the given word. */
static int expect(struct client *c, const char *word)
{
	while (!memchr(c->buf, '\n', c->n)) {
		ssize_t n = c->n < LINE_MAX_BYTES ? hear(c, LINE_MAX_BYTES) : -EPROTO;

		if (n <= 0)
			return n ? (int)n : -EPROTO;
	}
	if (c->n < strlen(word) || strncasecmp(c->buf, word, strlen(word)) != 0)
		return -EPROTO;
	c->n = 0;
	return 0;
}

static int command(struct client *c, const char *line, const char *reply)
{
	int r = say(c, line);

	return r ? r : expect(c, reply);
}

/* Up to the answer's end; 0 if there is any of it. */
static int converse(struct client *c, bool *whole)
{
	int64_t leg = (c->until - nh_now_ms()) / 2000;
	char timeout[32];
	ssize_t n = 1;
	int r;

	/* NCCL's deadline is that of one leg, and there may be two: ours comes after them. */
	leg = leg < 1 ? 1 : leg > LEG_MAX_S ? LEG_MAX_S : leg;
	snprintf(timeout, sizeof(timeout), "TIMEOUT %d\n", (int)leg);
	r = command(c, "CLIENT PROTOCOL 2\n", "SERVER PROTOCOL ");
	if (!r)
		r = command(c, timeout, "OK");
	if (!r)
		r = say(c, "VERBOSE STATUS\n");
	while (!r && n > 0 && c->n < ANSWER_MAX)
		n = hear(c, ANSWER_MAX);
	*whole = n == 0;
	if (!r && !c->n)
		r = n < 0 ? (int)n : -EPROTO;
	return r;
}

int nh_ras_ask(
	struct nh_arena *a, const struct nh_addr *to, int64_t until_ms, struct nh_ras_answer *ret)
{
	struct client c = { .fd = -1, .until = until_ms, .buf = nh_new(a, char, ANSWER_MAX) };
	bool whole = false;
	int r = dial(&c, to);

	if (!r)
		r = converse(&c, &whole);
	if (c.fd >= 0)
		close(c.fd);
	if (!r)
		*ret = (struct nh_ras_answer){ c.buf, c.n, whole };
	return r;
}
