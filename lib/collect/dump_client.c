/*
 * PyTorch 2.6 to 2.14, control_plane/WorkerServer.cpp: HTTP over a unix socket, POST /handler/NAME;
 * an unknown name is answered with 404.  HTTP/1.0 makes the server close behind its answer.
 */
#include "collect/dump_client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/cleanup.h"

enum { ANSWER_MAX = 64 << 20, HEAD_MAX = 16 << 10, PAUSE_MS = 20 };

static int wait_for(int fd, short events, int64_t until)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left = until - nh_now_ms();
	int r = poll(&p, 1, left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);

	return r < 0 && errno != EINTR ? -errno : r ? 0 : -ETIMEDOUT;
}

/* A full backlog refuses at once: a server that is busy is asked again. */
static int dial(int fd, const char *path, int64_t until)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	memcpy(to.sun_path, path, strlen(path) + 1);
	while (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		if (errno != EAGAIN)
			return -errno;
		if (nh_now_ms() >= until)
			return -ETIMEDOUT;
		nh_sleep_ms(PAUSE_MS);
	}
	return 0;
}

/* Everything up to the end of the connection. */
static int hear(int fd, int64_t until, char **buf, size_t *len)
{
	size_t cap = 0;
	ssize_t n = 1;

	while (n) {
		int r = wait_for(fd, POLLIN, until);

		if (r)
			return r;
		if (*len == cap) {
			char *grown = realloc(*buf, cap ? cap * 2 : HEAD_MAX);

			if (!grown)
				return -ENOMEM;
			*buf = grown;
			cap = cap ? cap * 2 : HEAD_MAX;
		}
		n = recv(fd, *buf + *len, cap - *len, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		*len += n > 0 ? (size_t)n : 0;
		if (*len > ANSWER_MAX)
			return -EMSGSIZE;
	}
	return 0;
}

/* The body behind "HTTP/1.x 200 …" and its headers. */
static int open_answer(const char *buf, size_t len, const char **body, size_t *body_len)
{
	const char *end = memmem(buf, len < HEAD_MAX ? len : HEAD_MAX, "\r\n\r\n", 4);

	if (!end || memcmp(buf, "HTTP/1.", 7) != 0 || end - buf < 12)
		return -EPROTO;
	if (!memcmp(buf + 8, " 404", 4))
		return -ENOENT;
	if (memcmp(buf + 8, " 200", 4) != 0 || memmem(buf, (size_t)(end - buf), "chunked", 7))
		return -EPROTO;
	*body = end + 4;
	*body_len = len - (size_t)(end + 4 - buf);
	return *body_len ? 0 : -ENODATA;
}

int nh_worker_server_ask(struct nh_arena *a, const char *path, const char *handler,
	int64_t until_ms, const char **body, size_t *len)
{
	const char *say = nh_arena_printf(a,
		"POST /handler/%s HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		handler);
	nh_auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	nh_auto_free char *buf = NULL;
	size_t n = 0;
	int r = fd < 0 ? -errno : dial(fd, path, until_ms);

	if (r)
		return r;
	/* So short a request fits into any socket's buffer. */
	if (send(fd, say, strlen(say), MSG_NOSIGNAL) != (ssize_t)strlen(say))
		return -EPROTO;
	r = hear(fd, until_ms, &buf, &n);
	r = r ? r : open_answer(buf, n, body, len);
	if (!r)
		*body = nh_arena_strndup(a, *body, *len);
	return r;
}
