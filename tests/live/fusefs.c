/*
 * A FUSE file system with one file, served by a process of its own that lets its readers wait:
 *   silent   reads and stats of the file are never answered: a thread and a child read, a thread
 *            asks for its attributes
 *   killed   the same, and the reading child was killed after the server had taken its request
 *   loop     a block device over the file, which a child reads; killed, it waits all the same
 *   healthy  everything is answered, a little late
 * Mounted where nobody else sees it.  The server ends with standard input, which wakes all of them.
 */
#include "fixture.h"

#include <linux/fuse.h>
#include <linux/loop.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
	PAGE = 4096,
	SIZE = 1 << 20,
	CANNOT = 77,
	PATIENCE_S = 120,
	ROOT = 1,
	FILE_ID = 2,
	LATE_US = 20000
};

static bool answering, telling;
static char file[64];
static volatile int *taken; /* requests the server has read and does not answer */

static void answer(int fuse, const struct fuse_in_header *in, int error, const void *data, size_t n)
{
	static char buf[PAGE * 4];
	struct fuse_out_header out = { (uint32_t)(sizeof(out) + n), -error, in->unique };

	memcpy(buf, &out, sizeof(out));
	memcpy(buf + sizeof(out), data, n);
	(void)!write(fuse, buf, out.len);
}

static struct fuse_attr attr_of(uint64_t id)
{
	return (struct fuse_attr){ .ino = id,
		.size = id == ROOT ? 0 : SIZE,
		.mode = id == ROOT ? S_IFDIR | 0500 : S_IFREG | 0600,
		.nlink = 1 };
}

static void serve_one(int fuse)
{
	static char buf[1 << 16], zeros[PAGE];
	const struct fuse_in_header *in = (void *)buf;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = PAGE
	};
	struct fuse_attr_out attr = { .attr = attr_of(in->nodeid) };
	struct fuse_entry_out entry = { .nodeid = FILE_ID, .entry_valid = 3600 };
	struct fuse_open_out open = { .fh = 1, .open_flags = FOPEN_DIRECT_IO };

	if (read(fuse, buf, sizeof(buf)) <= 0)
		_exit(0);
	attr.attr = attr_of(in->nodeid);
	entry.attr = attr_of(FILE_ID);
	if (answering)
		usleep(LATE_US);
	if (in->opcode == FUSE_INIT)
		answer(fuse, in, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_LOOKUP)
		answer(fuse, in, 0, &entry, sizeof(entry));
	else if (in->opcode == FUSE_OPEN)
		answer(fuse, in, 0, &open, sizeof(open));
	else if (in->opcode == FUSE_GETATTR && (telling || in->nodeid == ROOT))
		answer(fuse, in, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_READ && answering)
		answer(fuse, in, 0, zeros, sizeof(zeros));
	else if (in->opcode == FUSE_READ || in->opcode == FUSE_GETATTR)
		++*taken;
	else if (in->opcode != FUSE_INTERRUPT && in->opcode != FUSE_FORGET)
		answer(fuse, in, ENOSYS, "", 0);
}

static void start_server(int fuse)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO }, { .fd = fuse, .events = POLLIN } };

	if (check(fork(), "fork"))
		return;
	prctl(PR_SET_NAME, "server");
	alarm(PATIENCE_S);
	while (poll(p, 2, -1) > 0 && !p[0].revents)
		serve_one(fuse);
	_exit(0);
}

static void cannot(const char *what)
{
	warn("%s", what);
	exit(CANNOT);
}

static void mount_it(void)
{
	static char dir[] = "/tmp/served-XXXXXX";
	char options[80];
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fuse < 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		cannot("no FUSE here");
	if (mount("none", "/tmp", "tmpfs", 0, NULL) || !mkdtemp(dir))
		cannot("no place to mount on");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("store", dir, "fuse.slow", 0, options))
		cannot("mount");
	start_server(fuse);
	close(fuse);
	snprintf(file, sizeof(file), "%s/data", dir);
}

static void *reads(void *arg)
{
	char buf[PAGE];
	int fd = check(open(file, O_RDONLY | O_CLOEXEC), "open");

	while (pread(fd, buf, sizeof(buf), 0) >= 0)
		;
	return arg;
}

static void *stats(void *arg)
{
	struct stat st;

	while (!stat(file, &st))
		;
	return arg;
}

/* A block device of the kernel over the file: its requests wait for the file's server. */
static void *reads_device(void *arg)
{
	struct loop_config config = { .fd = (uint32_t)check(open(file, O_RDWR | O_CLOEXEC), "open"),
		.info = { .lo_flags = LO_FLAGS_AUTOCLEAR } };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), fd;
	char name[32];
	void *page;

	snprintf(name, sizeof(name), "/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
	fd = open(name, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, LOOP_CONFIGURE, &config) || posix_memalign(&page, PAGE, PAGE))
		_exit(CANNOT);
	prctl(PR_SET_NAME, "disk");
	(void)!read(fd, page, PAGE);
	return arg;
}

static pid_t child(void *(*body)(void *))
{
	pid_t pid = check(fork(), "fork");

	if (pid)
		return pid;
	alarm(PATIENCE_S);
	body(NULL);
	_exit(0);
}

static void *waits_for(void *arg)
{
	waitpid((pid_t)(intptr_t)arg, NULL, 0);
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "silent";
	bool loop = !strcmp(mode, "loop");
	char buf[64];
	pid_t reader;

	answering = !strcmp(mode, "healthy");
	telling = answering || loop;
	taken = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mount_it();
	reader = child(loop ? reads_device : reads);
	if (!loop) {
		start(reads, NULL);
		start(stats, NULL);
	}
	start(waits_for, (void *)(intptr_t)reader);
	while (*taken < (answering ? 0 : loop ? 1 : 3))
		usleep(1000);
	if (loop || !strcmp(mode, "killed"))
		kill(reader, SIGKILL);
	printf("pid=%d child=%d\n", getpid(), reader);
	fflush(stdout);
	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	_exit(0);
}
