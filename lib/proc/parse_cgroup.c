/* /proc/PID/cgroup, and the small files of a control group. */
#include "proc/parse.h"
#include "proc/scan.h"
#include "model/field.h"

/* Whether a list of controllers, "cpu,cpuacct", has that one; the list of v2 is empty. */
static bool lists(const char *p, const char *end, const char *controller)
{
	size_t n = strlen(controller);

	if (!n)
		return p == end;
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *to = comma ? comma : end;

		if ((size_t)(to - p) == n && !memcmp(p, controller, n))
			return true;
		p = comma ? comma + 1 : end;
	}
	return false;
}

/* "HIERARCHY:CONTROLLERS:PATH" */
bool nh_parse_cgroup(const char *buf, size_t len, const char *controller, struct nh_text *ret)
{
	struct nh_scan text = { buf, buf + len }, s;
	uint64_t hierarchy;

	while (nh_scan_line(&text, &s)) {
		const char *colon;

		if (!nh_scan_u64(&s, 10, &hierarchy) || !nh_scan_char(&s, ':'))
			continue;
		colon = memchr(s.p, ':', (size_t)(s.end - s.p));
		if (!colon || !lists(s.p, colon, controller))
			continue;
		*ret = (struct nh_text){ colon + 1, (size_t)(s.end - colon - 1) };
		return ret->n > 0;
	}
	return false;
}

int64_t nh_parse_key_value(const char *buf, size_t len, const char *key)
{
	struct nh_scan text = { buf, buf + len }, s;
	int64_t v;

	while (nh_scan_line(&text, &s))
		if ((!key || (nh_scan_word(&s, key) && nh_scan_char(&s, ' '))) &&
			nh_scan_i64(&s, &v))
			return v;
	return NH_UNKNOWN;
}
