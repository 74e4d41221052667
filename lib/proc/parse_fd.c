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

/* "(SECONDS, NANOSECONDS)"; the last moment before it expires still counts as one millisecond. */
static bool scan_timer(struct nh_scan *s, int64_t *ret)
{
	int64_t sec, nsec;

	nh_scan_blank(s);
	if (!nh_scan_char(s, '(') || !nh_scan_i64(s, &sec) || !nh_scan_char(s, ',') ||
		!nh_scan_i64(s, &nsec))
		return false;
	if (sec < 0 || sec > INT64_MAX / 1000 - 1 || nsec < 0 || nsec > 999999999)
		return false;
	*ret = sec * 1000 + (nsec + 999999) / 1000000;
	return true;
}

int nh_parse_fdinfo(const char *buf, size_t len, struct nh_fdinfo *ret)
{
	const struct {
		const char *key;
		unsigned base;
		int64_t *to;
	} want[] = {
		{ "flags:", 8, &ret->flags },
		{ "mnt_id:", 10, &ret->mnt_id },
		{ "ino:", 10, &ret->ino },
		{ "scm_fds:", 10, &ret->scm_fds },
		{ "eventfd-count:", 16, &ret->eventfd_count },
		{ "eventfd-id:", 10, &ret->eventfd_id },
	};
	const size_t nwant = sizeof(want) / sizeof(*want);
	struct nh_scan text = { buf, buf + len }, s;

	*ret = (struct nh_fdinfo){ NH_UNKNOWN, NH_UNKNOWN, NH_UNKNOWN, NH_UNKNOWN, NH_UNKNOWN,
		NH_UNKNOWN, NH_UNKNOWN };
	while (nh_scan_line(&text, &s)) {
		size_t i = 0;
		uint64_t v;

		if (nh_scan_word(&s, "it_value:")) {
			if (!scan_timer(&s, &ret->timer_ms))
				return -EINVAL;
			continue;
		}
		while (i < nwant && !nh_scan_word(&s, want[i].key))
			i++;
		if (i == nwant)
			continue;
		if (!nh_scan_u64(&s, want[i].base, &v))
			return -EINVAL;
		/* An eventfd's counter may be larger than what is of use to anybody. */
		*want[i].to = v > INT64_MAX ? INT64_MAX : (int64_t)v;
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
