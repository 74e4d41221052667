/*
 * A process whose memory map is locked, as by a fault on a dead mount: somebody reads a page of a
 * FUSE file through /proc/PID/mem and gets no answer, which holds the lock for reading; somebody
 * else waits to change the map; so every further reader queues behind that, as those of cmdline,
 * environ and maps do.  All is released when standard input ends.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, CANNOT = 77, PATIENCE_S = 120 };

static void *silent; /* the page that never arrives */

static void answer(int fuse, const struct fuse_in_header *in, int error, const void *data, size_t n)
{
	char buf[256];
	struct fuse_out_header out = { (uint32_t)(sizeof(out) + n), -error, in->unique };

	memcpy(buf, &out, sizeof(out));
	memcpy(buf + sizeof(out), data, n);
	(void)!write(fuse, buf, out.len);
}

static void serve_one(int fuse)
{
	static char buf[1 << 16];
	const struct fuse_in_header *in = (void *)buf;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = PAGE
	};
	struct fuse_attr_out attr = { .attr_valid = 3600,
		.attr = { .ino = 1, .size = PAGE, .mode = S_IFREG | 0400, .nlink = 1 } };
	struct fuse_open_out open = { .fh = 1 };

	if (read(fuse, buf, sizeof(buf)) <= 0)
		_exit(0);
	if (in->opcode == FUSE_INIT)
		answer(fuse, in, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_GETATTR)
		answer(fuse, in, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_OPEN)
		answer(fuse, in, 0, &open, sizeof(open));
	else if (in->opcode != FUSE_READ)
		answer(fuse, in, ENOSYS, "", 0);
}

/*
 * A file system that is one file, of which no byte ever arrives.  A process of its own, which ends
 * for sure: only that wakes those who wait for the page, and nothing else can, not even SIGKILL.
 */
static void start_server(int fuse)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO }, { .fd = fuse, .events = POLLIN } };

	if (fork())
		return;
	alarm(PATIENCE_S);
	while (poll(p, 2, -1) > 0 && !p[0].revents)
		serve_one(fuse);
	_exit(0);
}

/* The silent file, mounted where nobody else sees it. */
static int open_silent_file(void)
{
	char path[] = "/tmp/silent-XXXXXX", options[80];
	struct stat st;
	int target = mkstemp(path), fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC), fd = -1;

	snprintf(options, sizeof(options), "fd=%d,rootmode=100400,user_id=%u,group_id=%u", fuse,
		getuid(), getgid());
	if (target >= 0 && fuse >= 0 && !unshare(CLONE_NEWNS) &&
		!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("silent", path, "fuse", 0, options)) {
		start_server(fuse);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		fstat(fd, &st); /* so that the kernel asks for the size */
		umount2(path, MNT_DETACH);
	}
	if (fd < 0)
		warn("cannot have a FUSE file");
	unlink(path);
	close(fuse);
	return fd;
}

static void *read_locked(void *arg)
{
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	char byte;

	return pread(mem, &byte, 1, (off_t)(uintptr_t)silent) < 0 ? arg : NULL;
}

static void *change_map(void *arg)
{
	usleep(200000);
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return arg;
}

int main(void)
{
	char buf[64];
	int n = snprintf(buf, sizeof(buf), "pid=%d\n", getpid()), fd = open_silent_file();
	pthread_t reader, changer;

	if (fd < 0)
		return CANNOT;
	silent = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	errno = silent == MAP_FAILED ? ENODEV : pthread_create(&changer, NULL, change_map, NULL);
	if (errno || (errno = pthread_create(&reader, NULL, read_locked, NULL)))
		err(1, "cannot map or start");
	usleep(400000);
	/* From here on nothing that needs new memory. */
	(void)!write(STDOUT_FILENO, buf, (size_t)n);
	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	_exit(0);
}
