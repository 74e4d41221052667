#include "proc/read.h"
#include "proc/scan.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

/* One getdents64 for all but the largest descriptor tables. */
#define DIR_BYTES 65536

int nh_file_open(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int nh_dir_open(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

ssize_t nh_read_small(int at, const char *path, char *buf, size_t cap)
{
	nh_auto_close int fd = nh_file_open(at, path);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, buf, cap - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

/* A file of procfs has no size to ask for beforehand; one byte more than max tells if it was cut.
 */
ssize_t nh_read_whole(
	struct nh_arena *a, int at, const char *path, size_t max, char **ret, int *cut)
{
	nh_auto_close int fd = nh_file_open(at, path);
	nh_auto_free char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	do {
		if (n == cap) {
			size_t more = cap ? cap * 2 : 16384;
			char *grown = realloc(buf, more);

			if (!grown)
				return -ENOMEM;
			buf = grown;
			cap = more;
		}
		got = read(fd, buf + n, cap - n);
		if (got < 0)
			return -errno;
		n += (size_t)got;
	} while (got && n <= max);
	if (cut)
		*cut = n > max;
	if (n > max)
		n = max;
	*ret = nh_arena_strndup(a, buf, n);
	return (ssize_t)n;
}

ssize_t nh_read_link(int at, const char *path, char *buf, size_t cap)
{
	ssize_t n = readlinkat(at, path, buf, cap);

	if (n < 0)
		return -errno;
	if ((size_t)n == cap)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return n;
}

int64_t nh_read_ns(int at, const char *path)
{
	char link[64];
	ssize_t n = nh_read_link(at, path, link, sizeof(link));
	struct nh_scan s;
	int64_t inode;

	if (n < 0)
		return n;
	s = (struct nh_scan){ link, link + n };
	while (s.p < s.end && *s.p != '[')
		s.p++;
	if (!nh_scan_char(&s, '[') || !nh_scan_i64(&s, &inode) || !nh_scan_char(&s, ']'))
		return -EINVAL;
	return inode;
}

/* A name as its number, -1 where it is none.  Eighteen digits cannot overflow. */
static int64_t number(const char *name)
{
	int64_t v = 0;
	int n = 0;

	for (; name[n] >= '0' && name[n] <= '9' && n < 18; n++)
		v = v * 10 + (name[n] - '0');
	return n && !name[n] ? v : -1;
}

int nh_each_number(
	int at, const char *path, int (*fn)(void *ctx, int dirfd, int64_t number), void *ctx)
{
	_Alignas(struct dirent64) char buf[DIR_BYTES];
	nh_auto_close int fd = nh_dir_open(at, path);
	long n;

	if (fd < 0)
		return fd;
	/* The system call, as glibc before 2.30 has no getdents64(). */
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		const struct dirent64 *d;

		for (long at_byte = 0; at_byte < n; at_byte += d->d_reclen) {
			int64_t v;
			int rc;

			d = (const struct dirent64 *)(buf + at_byte);
			v = number(d->d_name);
			rc = v < 0 ? 0 : fn(ctx, fd, v);
			if (rc)
				return rc;
		}
	}
	return n < 0 ? -errno : 0;
}
