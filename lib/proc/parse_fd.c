/* What /proc/PID/fd/N points to, and /proc/PID/fdinfo/N. */
#include "proc/parse.h"
#include "proc/scan.h"
#include "model/process.h"

#include <errno.h>

int nh_parse_fd_link(const char *link, size_t len, int64_t *inode)
{
	struct nh_scan s = { link, link + len };
	int kind = NH_FD_OTHER;

	*inode = NH_UNKNOWN;
	/* d_path puts "(unreachable)" before a file outside the reader's root. */
	if (nh_scan_char(&s, '/') || nh_scan_word(&s, "(unreachable)/"))
		return NH_FD_FILE;
	if (nh_scan_word(&s, "anon_inode:"))
		return NH_FD_ANON;
	if (nh_scan_word(&s, "socket:["))
		kind = NH_FD_SOCKET;
	else if (nh_scan_word(&s, "pipe:["))
		kind = NH_FD_PIPE;
	if (kind == NH_FD_OTHER || nh_scan_i64(&s, inode))
		return kind;
	*inode = NH_UNKNOWN;
	return NH_FD_OTHER;
}

int nh_parse_fdinfo(const char *buf, size_t len, struct nh_fdinfo *ret)
{
	struct nh_scan text = { buf, buf + len }, s;
	uint64_t flags;

	*ret = (struct nh_fdinfo){ .flags = NH_UNKNOWN, .scm_fds = NH_UNKNOWN };
	while (nh_scan_line(&text, &s)) {
		if (nh_scan_word(&s, "flags:")) {
			if (!nh_scan_u64(&s, 8, &flags) || flags > INT64_MAX)
				return -EINVAL;
			ret->flags = (int64_t)flags;
		} else if (nh_scan_word(&s, "scm_fds:") && !nh_scan_i64(&s, &ret->scm_fds)) {
			return -EINVAL;
		}
	}
	return 0;
}

int nh_parse_fdinfo_epoll(const char *buf, size_t len, size_t *pos, int64_t *fd, uint64_t *events)
{
	struct nh_scan text = { buf + *pos, buf + len }, s;

	while (nh_scan_line(&text, &s)) {
		*pos = (size_t)(text.p - buf);
		if (nh_scan_word(&s, "tfd:") && nh_scan_i64(&s, fd) &&
			nh_scan_word(&s, " events:") && nh_scan_u64(&s, 16, events))
			return 1;
	}
	return 0;
}
