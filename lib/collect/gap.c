#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "collect/internal.h"
#include "proc/rights.h"

void nh_gap_said(struct nh_collector *k, const char *subject, const char *what, const char *why,
	const char *grant, bool needed)
{
	uint64_t key = nh_hash(subject, strlen(subject), nh_hash(what, strlen(what), 0));

	/* Both samples meet the same obstacles. */
	if (!nh_set_add(k->a, &k->gap_keys, key))
		return;
	*nh_push(k->a, &k->c->gaps) = (struct nh_gap){ subject, what, why, grant, needed, false };
}

void nh_gap_minor(struct nh_collector *k, const char *subject, const char *what, int err)
{
	uint64_t key = nh_hash(subject, strlen(subject), nh_hash(what, strlen(what), 0));

	if (nh_set_add(k->a, &k->gap_keys, key))
		*nh_push(k->a, &k->c->gaps) =
			(struct nh_gap){ subject, what, nh_arena_strdup(k->a, strerror(err)),
				nh_arena_printf(k->a, "sudo %s", k->o->rerun), false, true };
}

const char *nh_some_pids(struct nh_collector *k, int64_t n, int64_t example)
{
	return n == 1 ? nh_arena_printf(k->a, "pid %jd", (intmax_t)example)
		      : nh_arena_printf(k->a, "%jd processes (pid %jd for one)", (intmax_t)n,
				(intmax_t)example);
}

const char *nh_grant(struct nh_collector *k, int64_t owner, const char **why)
{
	uid_t me = geteuid();

	if (nh_may_ptrace()) {
		*why = "permission denied although we have CAP_SYS_PTRACE: a security module, or it "
		       "is protected by its sandbox";
		return NULL;
	}
	if (!me) {
		*why = "permission denied to root: CAP_SYS_PTRACE is missing here (a container?)";
		return nh_arena_printf(k->a,
			"on the host: sudo %s (host PIDs); or start the container with: "
			"docker run --pid=host --cap-add=SYS_PTRACE …; or: "
			"kubectl debug node/NODE -it --image=debian:12 --profile=sysadmin",
			k->o->rerun);
	}
	if (owner == (int64_t)me && nh_ptrace_scope()) {
		*why = nh_arena_printf(k->a, "permission denied: kernel.yama.ptrace_scope is %d",
			nh_ptrace_scope());
	} else if (owner != NH_UNKNOWN && owner != (int64_t)me) {
		*why = nh_arena_printf(k->a, "permission denied: it runs as uid %jd, we as uid %ju",
			(intmax_t)owner, (uintmax_t)me);
	} else if (nh_proc_hides(k->a)) {
		*why = "permission denied: /proc is mounted with hidepid";
	} else {
		*why = "permission denied";
	}
	return nh_arena_printf(k->a, "sudo %s", k->o->rerun);
}

void nh_gap_errno(struct nh_collector *k, int64_t pid, const char *what, int err, bool needed)
{
	const char *subject = nh_arena_printf(k->a, "pid %jd", (intmax_t)pid);
	const char *why = NULL, *grant = NULL;

	if (err == ENOENT || err == ESRCH) {
		nh_gap_said(k, subject, "process", "it ended while it was being read", NULL, false);
		return;
	}
	if (err == EACCES || err == EPERM) {
		int64_t owner = NH_UNKNOWN;

		nh_for(p, &k->c->processes)
			if (p->pid == pid)
				owner = p->uid;
		grant = nh_grant(k, owner, &why);
	} else {
		why = nh_arena_strdup(k->a, strerror(err));
	}
	nh_gap_said(k, subject, what, why, grant, needed);
}
