/* A cursor over text that need not end in NUL: what the procfs parsers are made of. */
#ifndef NH_PROC_SCAN_H
#define NH_PROC_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct nh_scan {
	const char *p, *end;
};

/* Takes the next line, without its newline, off *text; false at the end. */
static inline bool nh_scan_line(struct nh_scan *text, struct nh_scan *ret)
{
	const char *nl;

	if (text->p >= text->end)
		return false;
	nl = memchr(text->p, '\n', (size_t)(text->end - text->p));
	*ret = (struct nh_scan){ text->p, nl ? nl : text->end };
	text->p = nl ? nl + 1 : text->end;
	return true;
}

static inline bool nh_scan_char(struct nh_scan *s, char c)
{
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static inline bool nh_scan_word(struct nh_scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

/* Passes over spaces and tabs, none included. */
static inline void nh_scan_blank(struct nh_scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

/* Passes over everything up to the next blank. */
static inline void nh_scan_skip(struct nh_scan *s)
{
	while (s->p < s->end && *s->p != ' ' && *s->p != '\t')
		s->p++;
}

/* The value of a digit of any base up to 16, else 16. */
static inline unsigned nh_scan_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* Digits of a base up to 16, blanks before them allowed; false without a digit or on overflow. */
static inline bool nh_scan_u64(struct nh_scan *s, unsigned base, uint64_t *ret)
{
	const char *first;
	uint64_t v = 0;

	nh_scan_blank(s);
	first = s->p;
	for (unsigned d; s->p < s->end && (d = nh_scan_digit(*s->p)) < base; s->p++)
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	*ret = v;
	return s->p > first;
}

/* The same for a signed decimal. */
static inline bool nh_scan_i64(struct nh_scan *s, int64_t *ret)
{
	bool minus;
	uint64_t v;

	nh_scan_blank(s);
	minus = nh_scan_char(s, '-');
	if (!nh_scan_u64(s, 10, &v) || v > INT64_MAX)
		return false;
	*ret = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

#endif
