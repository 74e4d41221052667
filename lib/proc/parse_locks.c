/* /proc/locks, and the same rows in /proc/PID/fdinfo/N. */
#include "proc/parse.h"
#include "proc/scan.h"
#include "model/lock.h"

/* Takes a word of capitals and what follows of it; NULL-safe end of line. */
static bool is_access(struct nh_scan *s, bool *write)
{
	nh_scan_blank(s);
	*write = !nh_scan_word(s, "READ");
	return !*write || nh_scan_word(s, "WRITE") || nh_scan_word(s, "RW");
}

static int kind_of(struct nh_scan *s)
{
	static const struct {
		const char *word;
		int kind;
	} kinds[] = {
		{ "FLOCK", NH_LOCK_FLOCK },
		{ "POSIX", NH_LOCK_POSIX },
		{ "OFDLCK", NH_LOCK_OFD },
		{ "LEASE", NH_LOCK_LEASE },
	};

	nh_scan_blank(s);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (nh_scan_word(s, kinds[i].word))
			return kinds[i].kind;
	nh_scan_skip(s);
	return NH_LOCK_OTHER;
}

/* "1: -> FLOCK  ADVISORY  WRITE 7069 fe:00:10953173 0 EOF"; the arrow marks one that waits. */
static bool parse_row(struct nh_scan *s, struct nh_lock_row *ret)
{
	uint64_t major, minor;

	*ret = (struct nh_lock_row){ .end = NH_UNKNOWN };
	if (!nh_scan_i64(s, &ret->number) || !nh_scan_char(s, ':'))
		return false;
	nh_scan_blank(s);
	ret->waiting = nh_scan_word(s, "->");
	ret->kind = kind_of(s);
	nh_scan_blank(s);
	nh_scan_skip(s); /* ADVISORY, ACTIVE … */
	if (!is_access(s, &ret->write) || !nh_scan_i64(s, &ret->owner) ||
		!nh_scan_u64(s, 16, &major) || !nh_scan_char(s, ':') ||
		!nh_scan_u64(s, 16, &minor) || !nh_scan_char(s, ':') || major > UINT32_MAX ||
		minor > UINT32_MAX || !nh_scan_i64(s, &ret->inode) || !nh_scan_i64(s, &ret->start))
		return false;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	nh_scan_blank(s);
	return nh_scan_word(s, "EOF") || nh_scan_i64(s, &ret->end);
}

int nh_parse_lock(const char *buf, size_t len, size_t *pos, struct nh_lock_row *ret)
{
	struct nh_scan text = { buf + *pos, buf + len }, s;

	while (nh_scan_line(&text, &s)) {
		*pos = (size_t)(text.p - buf);
		nh_scan_word(&s, "lock:");
		if (parse_row(&s, ret))
			return 1;
	}
	return 0;
}
