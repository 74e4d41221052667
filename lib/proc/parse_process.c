/* /proc/PID/{stat,status} and /proc/PID/task/TID/syscall. */
#include "proc/parse.h"
#include "proc/scan.h"
#include "model/field.h"

#include <errno.h>
#include <signal.h>

/* Field of proc_pid_stat(5), since Linux 3.5. */
enum { EXIT_CODE = 52 };

int nh_parse_stat(const char *buf, size_t len, struct nh_stat *ret)
{
	/* Numbers of proc_pid_stat(5), ascending; the state, field 3, comes before them. */
	static const struct {
		int field;
		size_t offset;
	} want[] = {
		{ 4, offsetof(struct nh_stat, ppid) },
		{ 5, offsetof(struct nh_stat, pgrp) },
		{ 6, offsetof(struct nh_stat, session) },
		{ 9, offsetof(struct nh_stat, flags) },
		{ 14, offsetof(struct nh_stat, utime) },
		{ 15, offsetof(struct nh_stat, stime) },
		{ 20, offsetof(struct nh_stat, nthreads) },
		{ 22, offsetof(struct nh_stat, start) },
	};
	const char *close = memrchr(buf, ')', len);
	struct nh_scan s = { buf, buf + len };
	int field = 4;

	*ret = (struct nh_stat){ .exit_code = NH_UNKNOWN };
	if (!close || !nh_scan_i64(&s, &ret->pid) || !nh_scan_word(&s, " (") || s.p > close)
		return -EINVAL;
	ret->comm_len = (size_t)(close - s.p);
	if (ret->comm_len >= sizeof(ret->comm))
		return -EINVAL;
	memcpy(ret->comm, s.p, ret->comm_len);
	s.p = close + 1;
	if (!nh_scan_char(&s, ' ') || s.p == s.end)
		return -EINVAL;
	ret->state = *s.p++;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++, field++) {
		for (; field < want[i].field; field++) {
			nh_scan_blank(&s);
			nh_scan_skip(&s);
		}
		if (!nh_scan_i64(&s, (int64_t *)((char *)ret + want[i].offset)))
			return -EINVAL;
	}
	for (; field < EXIT_CODE; field++) {
		nh_scan_blank(&s);
		nh_scan_skip(&s);
	}
	if (!nh_scan_i64(&s, &ret->exit_code))
		ret->exit_code = NH_UNKNOWN;
	return 0;
}

/* A line of pending signals, a bit each: SigPnd of the thread, ShdPnd of the process. */
static bool scan_killed(struct nh_scan *s)
{
	uint64_t signals;

	return (nh_scan_word(s, "SigPnd:") || nh_scan_word(s, "ShdPnd:")) &&
	       nh_scan_u64(s, 16, &signals) && signals >> (SIGKILL - 1) & 1;
}

static int parse_nspid(struct nh_scan *s, struct nh_status_file *ret)
{
	int64_t pid;

	for (ret->nnspid = 0; nh_scan_i64(s, &pid); ret->nspid[ret->nnspid++] = pid)
		if (ret->nnspid == NH_NS_DEPTH)
			return -EINVAL;
	return 0;
}

int nh_parse_status(const char *buf, size_t len, struct nh_status_file *ret)
{
	static const struct {
		const char *key;
		size_t offset;
	} want[] = {
		{ "Tgid:", offsetof(struct nh_status_file, tgid) },
		{ "TracerPid:", offsetof(struct nh_status_file, tracer) },
		{ "Uid:", offsetof(struct nh_status_file, uid) },
		{ "VmRSS:", offsetof(struct nh_status_file, vmrss_kb) },
		{ "voluntary_ctxt_switches:", offsetof(struct nh_status_file, vcsw) },
		{ "nonvoluntary_ctxt_switches:", offsetof(struct nh_status_file, nvcsw) },
	};
	const size_t nwant = sizeof(want) / sizeof(*want);
	struct nh_scan text = { buf, buf + len }, s;

	*ret = (struct nh_status_file){ 0 };
	for (size_t i = 0; i < nwant; i++)
		*(int64_t *)((char *)ret + want[i].offset) = NH_UNKNOWN;
	/* The kernel escapes newlines in Name, so no name can pose as another line. */
	while (nh_scan_line(&text, &s)) {
		size_t i = 0;

		if (nh_scan_word(&s, "NSpid:") && parse_nspid(&s, ret) < 0)
			return -EINVAL;
		if (nh_scan_word(&s, "SigCgt:\t") && !nh_scan_u64(&s, 16, &ret->sigcgt))
			return -EINVAL;
		ret->killed |= scan_killed(&s);
		while (i < nwant && !nh_scan_word(&s, want[i].key))
			i++;
		if (i < nwant && !nh_scan_i64(&s, (int64_t *)((char *)ret + want[i].offset)))
			return -EINVAL;
	}
	return ret->tgid == NH_UNKNOWN ? -EINVAL : 0;
}

static bool scan_0x(struct nh_scan *s, uint64_t *ret)
{
	return nh_scan_word(s, " 0x") && nh_scan_u64(s, 16, ret);
}

int nh_parse_syscall(const char *buf, size_t len, struct nh_syscall *ret)
{
	struct nh_scan s = { buf, buf + len };

	*ret = (struct nh_syscall){ .nr = -1 };
	if (nh_scan_word(&s, "running")) {
		ret->running = true;
		return 0;
	}
	if (!nh_scan_i64(&s, &ret->nr) || ret->nr < -1)
		return -EINVAL;
	for (int i = 0; ret->nr >= 0 && i < 6; i++)
		if (!scan_0x(&s, &ret->args[i]))
			return -EINVAL;
	return scan_0x(&s, &ret->sp) && scan_0x(&s, &ret->pc) ? 0 : -EINVAL;
}
