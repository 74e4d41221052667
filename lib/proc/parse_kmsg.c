/* Records of /dev/kmsg; Documentation/ABI/testing/dev-kmsg. */
#include "proc/parse.h"
#include "proc/scan.h"

#include <errno.h>

int nh_parse_kmsg(const char *buf, size_t len, struct nh_kmsg *ret)
{
	struct nh_scan text = { buf, buf + len }, s;
	int64_t priority, number;
	const char *semicolon;

	*ret = (struct nh_kmsg){ .at_us = -1 };
	if (!nh_scan_line(&text, &s) || !nh_scan_i64(&s, &priority) || !nh_scan_char(&s, ',') ||
		!nh_scan_i64(&s, &number) || !nh_scan_char(&s, ',') ||
		!nh_scan_i64(&s, &ret->at_us))
		return -EINVAL;
	semicolon = memchr(s.p, ';', (size_t)(s.end - s.p));
	if (!semicolon)
		return -EINVAL;
	ret->text = (struct nh_text){ semicolon + 1, (size_t)(s.end - semicolon - 1) };
	return 0;
}
