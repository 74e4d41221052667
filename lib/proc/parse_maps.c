#include "proc/parse.h"
#include "proc/scan.h"

#include <errno.h>

static bool scan_perms(struct nh_scan *s, char perms[5])
{
	static const char *const letters[] = { "r-", "w-", "x-", "ps" };

	if (!nh_scan_char(s, ' ') || s->end - s->p < 4)
		return false;
	for (int i = 0; i < 4; i++, s->p++) {
		if (*s->p != letters[i][0] && *s->p != letters[i][1])
			return false;
		perms[i] = *s->p;
	}
	return true;
}

static bool scan_map(struct nh_scan *s, struct nh_map *ret)
{
	uint64_t major, minor;

	return nh_scan_u64(s, 16, &ret->start) && nh_scan_char(s, '-') &&
	       nh_scan_u64(s, 16, &ret->end) && ret->start <= ret->end &&
	       scan_perms(s, ret->perms) && nh_scan_u64(s, 16, &ret->offset) &&
	       nh_scan_u64(s, 16, &major) && nh_scan_char(s, ':') && nh_scan_u64(s, 16, &minor) &&
	       nh_scan_u64(s, 10, &ret->inode);
}

int nh_parse_map(const char *buf, size_t len, size_t *pos, struct nh_map *ret)
{
	static const char suffix[] = " (deleted)";
	struct nh_scan text = { buf + *pos, buf + len }, s;
	const size_t nsuffix = sizeof(suffix) - 1;

	if (!nh_scan_line(&text, &s))
		return 0;
	*pos = (size_t)(text.p - buf);
	*ret = (struct nh_map){ 0 };
	if (!scan_map(&s, ret))
		return -EINVAL;
	nh_scan_blank(&s);
	ret->path = s.p;
	ret->path_len = (size_t)(s.end - s.p);
	ret->deleted = ret->path_len > nsuffix && !memcmp(s.end - nsuffix, suffix, nsuffix);
	if (ret->deleted)
		ret->path_len -= nsuffix;
	return 1;
}
