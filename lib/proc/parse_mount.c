/* /proc/PID/mountinfo and /proc/PID/task/TID/stack. */
#include "proc/parse.h"
#include "proc/scan.h"

#include <errno.h>

static bool scan_text(struct nh_scan *s, struct nh_text *ret)
{
	nh_scan_blank(s);
	ret->s = s->p;
	nh_scan_skip(s);
	ret->n = (size_t)(s->p - ret->s);
	return ret->n > 0;
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG…] - TYPE SOURCE OPTIONS" */
static bool scan_mount(struct nh_scan *s, struct nh_mountinfo *ret)
{
	struct nh_text word;

	if (!nh_scan_i64(s, &ret->id))
		return false;
	for (int parent_and_device = 0; parent_and_device < 2; parent_and_device++)
		if (!scan_text(s, &word))
			return false;
	if (!scan_text(s, &ret->root) || !scan_text(s, &ret->point))
		return false;
	do {
		if (!scan_text(s, &word))
			return false;
	} while (word.n != 1 || *word.s != '-');
	return scan_text(s, &ret->fstype) && scan_text(s, &ret->source) &&
	       scan_text(s, &ret->options);
}

int nh_parse_mount(const char *buf, size_t len, size_t *pos, struct nh_mountinfo *ret)
{
	struct nh_scan text = { buf + *pos, buf + len }, s;

	if (!nh_scan_line(&text, &s))
		return 0;
	*pos = (size_t)(text.p - buf);
	*ret = (struct nh_mountinfo){ 0 };
	return scan_mount(&s, ret) ? 1 : -EINVAL;
}

size_t nh_unescape_octal(char *s, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned v = 0, digits = 0;

		while (s[i] == '\\' && digits < 3 && i + 1 + digits < n &&
			nh_scan_digit(s[i + 1 + digits]) < 8)
			v = v * 8 + nh_scan_digit(s[i + 1 + digits++]);
		if (digits == 3 && v && v < 256) {
			s[to++] = (char)v;
			i += 3;
		} else {
			s[to++] = s[i];
		}
	}
	return to;
}

int nh_parse_kernel_frame(const char *buf, size_t len, size_t *pos, struct nh_text *ret)
{
	struct nh_scan text = { buf + *pos, buf + len }, s;
	uint64_t address;

	while (nh_scan_line(&text, &s)) {
		*pos = (size_t)(text.p - buf);
		if (!nh_scan_word(&s, "[<") || !nh_scan_u64(&s, 16, &address) ||
			!nh_scan_word(&s, ">] "))
			continue;
		ret->s = s.p;
		while (s.p < s.end && *s.p != '+' && *s.p != ' ')
			s.p++;
		ret->n = (size_t)(s.p - ret->s);
		if (ret->n)
			return 1;
	}
	return 0;
}
