#include "proc/net.h"
#include "proc/read.h"
#include "base/cleanup.h"
#include "model/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define TABLE_BYTES 65536

static int each_row(int family, const char *buf, size_t len, nh_sock_fn *fn, void *ctx)
{
	struct nh_sock_row row;
	size_t pos = 0;
	int rc = 0;

	while (!rc && nh_parse_sock_row(family, buf, len, &pos, &row) > 0)
		rc = fn(ctx, &row);
	return rc;
}

int nh_net_each(int procdir, int family, nh_sock_fn *fn, void *ctx)
{
	static const char *const paths[] = {
		[NH_TCP4] = "net/tcp", [NH_TCP6] = "net/tcp6", [NH_UNIX] = "net/unix"
	};
	nh_auto_close int fd = nh_file_open(procdir, paths[family]);
	char buf[TABLE_BYTES];
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = read(fd, buf + n, sizeof(buf) - n)) > 0) {
		const char *nl = memrchr(buf + n, '\n', (size_t)got);
		size_t whole = nl ? (size_t)(nl + 1 - buf) : 0;
		int rc = each_row(family, buf, whole, fn, ctx);

		if (rc)
			return rc;
		n += (size_t)got;
		if (!whole && n == sizeof(buf))
			return -EINVAL; /* no row of any table is this long */
		n -= whole;
		memmove(buf, buf + whole, n);
	}
	return got < 0 ? -errno : 0;
}
