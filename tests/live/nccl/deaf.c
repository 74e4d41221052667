/*
 * LD_PRELOAD: gives an NCCL of today the abort of 2.16.2 … 2.17.1, whose only farewell is close().
 * In teardown shutdown() does nothing, and the 4-byte Close and Stop messages to a proxy are
 * swallowed; before it, the same four bytes may be anything.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "deaf.h"

int shutdown(int fd, int how)
{
	return getenv(DEAF_NOW) ? 0 : (int)syscall(SYS_shutdown, fd, how);
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	enum { CLOSE = 6, STOP = 8 }; /* ncclProxyMsgType */
	int type = 0;

	if (n == sizeof(type))
		memcpy(&type, buf, n);
	if ((type == CLOSE || type == STOP) && getenv(DEAF_NOW))
		return (ssize_t)n;
	return syscall(SYS_sendto, fd, buf, n, flags, NULL, 0);
}
