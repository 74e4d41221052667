#include <string.h>
#include "python/object.h"

/* Direct-mapped: two that collide are only read more than once. */
#define CODES 1024U
#define LINES_MAX (1U << 20)

/* The type of code objects is the one that calls itself so. */
static bool is_code(struct nh_python *py, uint64_t addr)
{
	const uint32_t *at = py->layout.at;
	uint64_t type, name;
	char text[5];

	if (!nh_py_word(py, addr + at[NH_PY_OBJECT_TYPE], &type))
		return false;
	if (!py->code_type && nh_py_word(py, type + at[NH_PY_TYPE_NAME], &name) &&
		nh_py_read(py, name, text, sizeof(text)) && !memcmp(text, "code", sizeof(text)))
		py->code_type = type;
	return type == py->code_type;
}

/* A table that cannot be read leaves the line of the definition. */
static void read_lines(const struct nh_python *py, struct nh_py_code *c)
{
	const uint32_t *at = py->layout.at;
	uint64_t table, n;
	unsigned char *bytes;

	if (!nh_py_word(py, c->addr + at[NH_PY_CODE_LINES], &table) ||
		!nh_py_word(py, table + at[NH_PY_BYTES_SIZE], &n) || !n || n > LINES_MAX)
		return;
	bytes = nh_new(py->arena, unsigned char, n);
	if (!nh_py_read(py, table + at[NH_PY_BYTES_DATA], bytes, n))
		return;
	c->lines = bytes;
	c->nlines = n;
}

static bool read_code(struct nh_python *py, struct nh_py_code *c)
{
	const uint32_t *at = py->layout.at;
	uint64_t file, name;
	int32_t first = 0;

	if (!is_code(py, c->addr) || !nh_py_word(py, c->addr + at[NH_PY_CODE_FILE], &file) ||
		!nh_py_word(py, c->addr + at[NH_PY_CODE_NAME], &name) ||
		!nh_py_read(py, c->addr + at[NH_PY_CODE_LINE], &first, sizeof(first)))
		return false;
	c->first = first;
	c->file = nh_py_text(py, file);
	c->func = nh_py_text(py, name);
	read_lines(py, c);
	return c->file && c->func;
}

const struct nh_py_code *nh_py_code(struct nh_python *py, uint64_t addr)
{
	struct nh_py_code **slot, *known, code = { .addr = addr };

	if (!py->codes)
		py->codes = nh_new(py->arena, struct nh_py_code *, CODES);
	slot = &py->codes[addr / 16 % CODES];
	known = *slot;
	if (known && known->addr == addr)
		return known;
	if (!addr || !read_code(py, &code))
		return NULL;
	known = nh_new(py->arena, struct nh_py_code, 1);
	*known = code;
	*slot = known;
	return known;
}
