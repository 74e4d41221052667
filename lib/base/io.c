#include "base/io.h"

#include <errno.h>
#include <unistd.h>

int nh_write_all(int fd, const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno != EINTR)
			return -errno;
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
	return 0;
}

int nh_write_sink(void *ctx, const char *buf, size_t n)
{
	return nh_write_all(*(int *)ctx, buf, n);
}
