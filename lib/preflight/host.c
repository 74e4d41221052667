/* What the kernel keeps of a crash, and what it lets this tool see of a hang. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "preflight/internal.h"
#include "proc/read.h"
#include "proc/rights.h"

/* The soft limit of core files as the limits file says it: "0", "unlimited". */
static const char *core_limit(struct nh_flying *f)
{
	static const char label[] = "Max core file size";
	char buf[4096];
	const char *at =
		nh_read_small(f->dir, "limits", buf, sizeof(buf)) > 0 ? strstr(buf, label) : NULL;

	if (!at)
		return NULL;
	at += sizeof(label) - 1;
	at += strspn(at, " ");
	return nh_arena_strndup(f->a, at, strcspn(at, " \n"));
}

void nh_check_core(struct nh_flying *f)
{
	const char *limit = core_limit(f);
	char pattern[256] = "";
	struct nh_check *c;

	nh_read_small(-1, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern));
	pattern[strcspn(pattern, "\n")] = 0;
	if (!limit || !*pattern) {
		nh_check_add(f, NH_CHECK_UNKNOWN, "core dump", "its limit cannot be read");
		return;
	}
	/* A pipe gets the dump whatever the limit is, except for 1. */
	if (*pattern == '|' || strcmp(limit, "0") != 0) {
		nh_check_add(f, NH_CHECK_FINE, "core dump", "limit %s, pattern %s", limit, pattern);
		return;
	}
	c = nh_check_add(f, NH_CHECK_ADVICE, "core dump", "limit 0, pattern %s", pattern);
	c->why = "a crash leaves no stack of the rank that crashed";
	c->cost = "a file as large as the memory of the rank, and the time to write it";
	c->command = f->p->pid == NH_UNKNOWN
			     ? "ulimit -c unlimited"
			     : nh_arena_printf(f->a, "sudo prlimit --core=unlimited --pid %jd",
				       (intmax_t)f->p->pid);
}

void nh_check_rights(struct nh_flying *f)
{
	int scope = nh_ptrace_scope();
	struct nh_check *c = NULL;

	if (nh_may_ptrace()) {
		nh_check_add(f, NH_CHECK_FINE, "rights of ncclhang", "CAP_SYS_PTRACE");
		return;
	}
	if (!geteuid())
		c = nh_check_add(f, NH_CHECK_OFF, "rights of ncclhang",
			"root without CAP_SYS_PTRACE: a container");
	else if (scope)
		c = nh_check_add(f, NH_CHECK_ADVICE, "rights of ncclhang",
			"no CAP_SYS_PTRACE, and kernel.yama.ptrace_scope is %d", scope);
	else if (nh_proc_hides(f->a))
		c = nh_check_add(f, NH_CHECK_ADVICE, "rights of ncclhang",
			"no CAP_SYS_PTRACE, and /proc is mounted with hidepid");
	if (!c) {
		nh_check_add(f, NH_CHECK_FINE, "rights of ncclhang",
			"processes of the same user can be read; those of others with sudo alone");
		return;
	}
	c->why = "the memory, stacks and descriptors of a hung job cannot be read as we are now";
	c->cost = "none for the job";
	c->command = geteuid() ? "sudo ncclhang" : "docker run --pid=host --cap-add=SYS_PTRACE ...";
}
