#include <string.h>
#include "base/str.h"
#include "python/object.h"

bool nh_py_read(const struct nh_python *py, uint64_t addr, void *dst, size_t n)
{
	return addr && !nh_mem_read(&py->space->mem, addr, dst, n);
}

bool nh_py_word(const struct nh_python *py, uint64_t addr, uint64_t *ret)
{
	return nh_py_read(py, addr, ret, sizeof(*ret));
}

static char *put(char *to, uint32_t c)
{
	/* A lone surrogate, or no character at all. */
	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = 0xfffd;
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | (c >> 18 & 7));
			*to++ = (char)(0x80 | (c >> 12 & 63));
		}
		*to++ = (char)(0x80 | (c >> 6 & 63));
	}
	*to++ = (char)(0x80 | (c & 63));
	return to;
}

const char *nh_py_utf8(struct nh_arena *a, const void *chars, size_t n, unsigned width)
{
	char *buf = nh_new(a, char, n * 4 + 1), *to = buf;
	const unsigned char *p = chars;

	for (size_t i = 0; i < n; i++, p += width) {
		uint32_t c = 0;
		uint16_t two;

		if (width == 1) {
			c = *p;
		} else if (width == 2) {
			memcpy(&two, p, sizeof(two));
			c = two;
		} else {
			memcpy(&c, p, sizeof(c));
		}
		to = put(to, c);
	}
	/* A name may hold a NUL. */
	return nh_utf8_repair(a, buf, (size_t)(to - buf));
}

const char *nh_py_text(const struct nh_python *py, uint64_t addr)
{
	const uint32_t *at = py->layout.at;
	unsigned char chars[NH_PY_TEXT_MAX * 4];
	uint64_t length;
	uint32_t state;
	unsigned kind;

	if (!nh_py_word(py, addr + at[NH_PY_STR_LENGTH], &length) ||
		!nh_py_read(py, addr + at[NH_PY_STR_STATE], &state, sizeof(state)))
		return NULL;
	/* interned:2 kind:3 compact:1 ascii:1; names of code are always compact. */
	kind = state >> 2 & 7;
	if (!(state >> 5 & 1) || (kind != 1 && kind != 2 && kind != 4))
		return NULL;
	if (length > NH_PY_TEXT_MAX)
		length = NH_PY_TEXT_MAX;
	addr += state >> 6 & 1 ? at[NH_PY_STR_DATA] : py->layout.str_wide;
	if (!nh_py_read(py, addr, chars, length * kind))
		return length ? NULL : "";
	return nh_py_utf8(py->arena, chars, length, kind);
}
