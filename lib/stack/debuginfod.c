#include "stack/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

extern char **environ;

static int spawn(const char *build_id, int out, pid_t *ret)
{
	char id[256]; /* the kernel's and the linkers' are 40 digits at most */
	char *argv[] = { (char[]){ "debuginfod-find" }, (char[]){ "debuginfo" }, id, NULL };
	posix_spawn_file_actions_t files;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return -rc;
	snprintf(id, sizeof(id), "%s", build_id);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	rc = posix_spawnp(ret, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

/* What it prints, up to the end of its output or of the time. */
static int read_path(int fd, int64_t until_ms, char *buf, size_t size)
{
	size_t n = 0;

	for (;;) {
		int64_t left = until_ms - nh_now_ms();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)(left < 1000 ? left : 1000)) <= 0)
			continue;
		got = read(fd, buf + n, size - 1 - n);
		if (got <= 0 || n + (size_t)got >= size - 1) {
			buf[n + (got > 0 ? (size_t)got : 0)] = '\0';
			buf[strcspn(buf, "\n")] = '\0';
			return *buf == '/' ? 0 : -ENOENT;
		}
		n += (size_t)got;
	}
}

int nh_debuginfod_open(const char *build_id, int64_t until_ms)
{
	nh_auto_close int in = -1;
	char path[4096];
	int ends[2], rc, fd;
	pid_t pid = 0;

	if (!getenv("DEBUGINFOD_URLS"))
		return -ENOENT;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	in = ends[0];
	rc = spawn(build_id, ends[1], &pid);
	close(ends[1]);
	if (rc)
		return rc;
	rc = read_path(in, until_ms, path, sizeof(path));
	/* It has nothing left to say; one that lingers must not keep us. */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}
