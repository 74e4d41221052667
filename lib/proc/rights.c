#include "proc/rights.h"

#include <stdlib.h>
#include <string.h>
#include "proc/read.h"

int nh_ptrace_scope(void)
{
	char buf[16];
	ssize_t n = nh_read_small(-1, "/proc/sys/kernel/yama/ptrace_scope", buf, sizeof(buf));

	return n > 0 ? (int)strtol(buf, NULL, 10) : 0;
}

bool nh_proc_hides(struct nh_arena *a)
{
	char *mounts;

	return nh_read_whole(a, -1, "/proc/self/mounts", 1 << 20, &mounts, NULL) > 0 &&
	       (strstr(mounts, "hidepid=1") || strstr(mounts, "hidepid=2") ||
		       strstr(mounts, "hidepid=noaccess") || strstr(mounts, "hidepid=invisible"));
}

bool nh_may_ptrace(void)
{
	enum { CAP_SYS_PTRACE_BIT = 19 };
	char buf[8192];
	const char *caps;

	if (nh_read_small(-1, "/proc/self/status", buf, sizeof(buf)) <= 0)
		return false;
	caps = strstr(buf, "CapEff:");
	return caps && strtoull(caps + 7, NULL, 16) >> CAP_SYS_PTRACE_BIT & 1;
}
