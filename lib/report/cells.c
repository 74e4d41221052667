#include "report/cells.h"

#include <stdint.h>
#include <string.h>
#include "base/str.h"

/* Unicode 15: East_Asian_Width W and F and emoji, joined into blocks; general categories Mn, Me
 * and the joiners.  wcwidth(3) knows them only in a UTF-8 locale, which a rank's shell rarely
 * has. */
/* clang-format off */
static const struct range {
	uint32_t from, to;
	int cells;
} ranges[] = {
	{ 0x0300, 0x036f, 0 }, { 0x0483, 0x0489, 0 }, { 0x0591, 0x05bd, 0 },
	{ 0x0610, 0x061a, 0 }, { 0x064b, 0x065f, 0 }, { 0x06d6, 0x06dc, 0 },
	{ 0x0900, 0x0902, 0 }, { 0x093c, 0x093c, 0 }, { 0x0941, 0x0948, 0 },
	{ 0x0e31, 0x0e31, 0 }, { 0x0e34, 0x0e3a, 0 }, { 0x0e47, 0x0e4e, 0 },
	{ 0x1100, 0x115f, 2 }, { 0x1ab0, 0x1aff, 0 }, { 0x1dc0, 0x1dff, 0 },
	{ 0x200b, 0x200d, 0 }, { 0x2060, 0x2064, 0 }, { 0x20d0, 0x20f0, 0 },
	{ 0x231a, 0x231b, 2 }, { 0x23e9, 0x23ec, 2 }, { 0x2614, 0x2615, 2 },
	{ 0x2648, 0x2653, 2 }, { 0x26a1, 0x26a1, 2 }, { 0x26d4, 0x26d4, 2 },
	{ 0x2705, 0x2705, 2 }, { 0x274c, 0x274c, 2 }, { 0x2753, 0x2757, 2 },
	{ 0x2e80, 0x303e, 2 }, { 0x3041, 0x33ff, 2 }, { 0x3400, 0x4dbf, 2 },
	{ 0x4e00, 0x9fff, 2 }, { 0xa000, 0xa4cf, 2 }, { 0xa960, 0xa97f, 2 },
	{ 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 }, { 0xfe00, 0xfe0f, 0 },
	{ 0xfe20, 0xfe2f, 0 }, { 0xfe30, 0xfe6f, 2 }, { 0xfeff, 0xfeff, 0 },
	{ 0xff00, 0xff60, 2 }, { 0xffe0, 0xffe6, 2 }, { 0x1b000, 0x1b2ff, 2 },
	{ 0x1f300, 0x1f64f, 2 }, { 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1f9ff, 2 },
	{ 0x20000, 0x3fffd, 2 }, { 0xe0100, 0xe01ef, 0 },
};
/* clang-format on */

/* The character at s (n > 0 bytes): its length, and its cells in *cells. */
static size_t step(const char *s, size_t n, size_t *cells)
{
	size_t len = nh_utf8_len(s, n);
	uint32_t cp = (unsigned char)*s;

	*cells = 1;
	if (len < 2)
		return 1;
	cp &= 0xffu >> (len + 1);
	for (size_t i = 1; i < len; i++)
		cp = cp << 6 | ((unsigned char)s[i] & 0x3f);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (cp >= ranges[i].from && cp <= ranges[i].to)
			*cells = (size_t)ranges[i].cells;
	return len;
}

size_t nh_cells(const char *s, size_t n)
{
	size_t sum = 0, one;

	for (size_t i = 0; i < n; sum += one)
		i += step(s + i, n - i, &one);
	return sum;
}

size_t nh_cells_fit(const char *s, size_t cells)
{
	size_t n = strlen(s), i = 0, sum = 0, one;

	while (i < n) {
		size_t len = step(s + i, n - i, &one);

		if (sum + one > cells)
			break;
		sum += one;
		i += len;
	}
	return i;
}

size_t nh_cells_fit_end(const char *s, size_t cells)
{
	size_t n = strlen(s), i = 0, rest = nh_cells(s, n), one;

	while (i < n && rest > cells) {
		i += step(s + i, n - i, &one);
		rest -= one;
	}
	return n - i;
}

const char *nh_shorten(struct nh_arena *a, const char *s, size_t cells)
{
	size_t n = strlen(s), head, tail;

	if (nh_cells(s, n) <= cells)
		return s;
	cells = cells < 5 ? 5 : cells;
	/* The end of a path or a symbol tells more than its beginning. */
	tail = nh_cells_fit_end(s, (cells - 3 + 1) / 2);
	head = nh_cells_fit(s, (cells - 3) / 2);
	return nh_arena_printf(a, "%.*s...%s", (int)head, s, s + n - tail);
}
