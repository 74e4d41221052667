#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Decodes one sequence; returns its length or 0. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (!n || !s[0])
		return 0;
	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;

	if (s[0] < 0xc2 || s[0] > 0xf4 || n < len)
		return 0;
	*cp = s[0] & (0xff >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s[i] & 0x3f);
	}
	if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return len;
}

size_t nh_utf8_len(const char *s, size_t n)
{
	uint32_t cp;

	return decode((const unsigned char *)s, n, &cp);
}

const char *nh_utf8_repair(struct nh_arena *a, const char *s, size_t n)
{
	size_t bad = 0;

	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		len = nh_utf8_len(s + i, n - i);
		bad += !len;
	}
	if (!bad)
		return nh_arena_strndup(a, s, n);

	char *out = nh_new(a, char, n + 2 * bad + 1), *p = out;

	for (size_t i = 0; i < n;) {
		size_t len = nh_utf8_len(s + i, n - i);

		memcpy(p, len ? s + i : "\xef\xbf\xbd", len ? len : 3);
		p += len ? len : 3;
		i += len ? len : 1;
	}
	return out;
}

static bool is_unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x061c || cp == 0x200e ||
	       cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

const char *nh_escape(struct nh_arena *a, const char *s)
{
	size_t n = strlen(s), unsafe = 0;
	uint32_t cp;

	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		len = decode((const unsigned char *)s + i, n - i, &cp);
		unsafe += !len || is_unsafe(cp);
	}
	if (!unsafe)
		return s;

	char *out = nh_new(a, char, n + 6 * unsafe + 1), *p = out;

	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		len = decode((const unsigned char *)s + i, n - i, &cp);
		if (!len)
			p += sprintf(p, "\\x%02x", (unsigned char)s[i]);
		else if (cp == '\n' || cp == '\t')
			p += sprintf(p, "\\%c", cp == '\n' ? 'n' : 't');
		else if (is_unsafe(cp))
			p += sprintf(p, cp < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)cp);
		else {
			memcpy(p, s + i, len);
			p += len;
		}
	}
	return out;
}

const char *nh_shell_quote(struct nh_arena *a, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=:,./@%";

	if (*s && strspn(s, plain) == strlen(s))
		return s;

	char *out = nh_new(a, char, strlen(s) * 4 + 3), *p = out;

	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	*p = '\'';
	return out;
}

bool nh_starts_with(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

bool nh_ends_with(const char *s, const char *suffix)
{
	size_t n = s ? strlen(s) : 0, m = strlen(suffix);

	return s && n >= m && !strcmp(s + n - m, suffix);
}

bool nh_streq(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}
