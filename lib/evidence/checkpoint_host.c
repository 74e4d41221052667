#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "evidence/checkpoint_read.h"

static int64_t number_in(const char *dir, const char *file)
{
	char path[PATH_MAX], text[32] = "";

	if (snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", dir, file) >= (int)sizeof(path))
		return NH_UNKNOWN;

	nh_auto_file FILE *f = fopen(path, "re");

	/* "max" is no limit. */
	return f && fgets(text, sizeof(text), f) && text[0] >= '0' && text[0] <= '9'
		       ? strtoll(text, NULL, 10)
		       : NH_UNKNOWN;
}

static int64_t cgroup_room(void)
{
	nh_auto_file FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];
	int64_t most, now;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		most = number_in(strcmp(line + 3, "/") ? line + 3 : "", "memory.max");
		now = number_in(strcmp(line + 3, "/") ? line + 3 : "", "memory.current");
		return most == NH_UNKNOWN || now == NH_UNKNOWN ? NH_UNKNOWN
		       : most > now			       ? most - now
							       : 0;
	}
	return NH_UNKNOWN;
}

void nh_ckpt_host(struct nh_checkpoint *row)
{
	nh_auto_file FILE *f = fopen("/proc/meminfo", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "MemAvailable:", 13))
			row->mem_available = strtoll(line + 13, NULL, 10) * 1024;
	row->mem_room = cgroup_room();
}
