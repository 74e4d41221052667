#include "python/line.h"

#include <stdbool.h>

struct cursor {
	const unsigned char *p, *end;
};

/* Pairs: bytes of code to go on, lines to go on from there. */
static int64_t by_lnotab(struct cursor c, int64_t line, int64_t at)
{
	int64_t addr = 0;

	for (; c.end - c.p >= 2; c.p += 2) {
		addr += c.p[0];
		if (addr > at)
			break;
		line += (signed char)c.p[1];
	}
	return line;
}

/* Pairs: bytes of code, and how far their line is from the one before; -128 = they have none. */
static int64_t by_pairs(struct cursor c, int64_t line, int64_t at)
{
	int64_t end = 0;

	for (; c.end - c.p >= 2; c.p += 2) {
		signed char delta = (signed char)c.p[1];

		end += c.p[0];
		if (delta != -128)
			line += delta;
		if (at < end)
			return delta == -128 ? -1 : line;
	}
	return -1;
}

static bool varint(struct cursor *c, uint32_t *ret)
{
	uint32_t v = 0;

	for (unsigned shift = 0; c->p < c->end && shift <= 30; shift += 6) {
		unsigned char byte = *c->p++;

		v |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* What the kinds of location entries are; columns are passed over. */
enum {
	ONE_LINE_0 = 10,
	ONE_LINE_2 = 12,
	NO_COLUMNS = 13,
	LONG = 14,
	NONE = 15,
};

/* Passes over the rest of an entry and adds its change of line; false if it is cut. */
static bool entry(struct cursor *c, int kind, int64_t *line)
{
	size_t columns = kind >= NO_COLUMNS ? 0 : kind >= ONE_LINE_0 ? 2 : 1;
	uint32_t v;

	if (kind == NO_COLUMNS || kind == LONG) {
		if (!varint(c, &v))
			return false;
		*line += v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
		for (int i = 0; kind == LONG && i < 3; i++)
			if (!varint(c, &v))
				return false;
	}
	if (kind >= ONE_LINE_0 && kind <= ONE_LINE_2)
		*line += kind - ONE_LINE_0;
	if ((size_t)(c->end - c->p) < columns)
		return false;
	c->p += columns;
	return true;
}

static int64_t by_locations(struct cursor c, int64_t line, int64_t at)
{
	int64_t end = 0;

	while (c.p < c.end) {
		unsigned char byte = *c.p++;
		int kind = byte >> 3 & 15;

		if (!entry(&c, kind, &line))
			return -1;
		end += (byte & 7) + 1;
		if (at < end)
			return kind == NONE ? -1 : line;
	}
	return -1;
}

int64_t nh_py_line(int minor, const unsigned char *table, size_t n, int64_t first, int64_t at)
{
	struct cursor c = { table, table + n };

	/* Before the first instruction. */
	if (at < 0)
		return first;
	if (at > INT32_MAX)
		return -1;
	if (minor <= 9)
		return by_lnotab(c, first, at);
	if (minor == 10)
		return by_pairs(c, first, at * 2);
	return by_locations(c, first, at);
}
