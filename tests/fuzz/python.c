/* CPython's line tables, published layouts and strings, and the merge of native and Python frames.
 * The first byte chooses. */
#include "replay.h"
#include "know/cpython.h"
#include "python/line.h"
#include "python/merge.h"
#include "python/object.h"

#include <stdlib.h>
#include <string.h>

/* Numbers from the input, as long as there are any. */
static unsigned next(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

static void line(const uint8_t *data, size_t size)
{
	int minor = 8 + (int)next(&data, &size) % 8;
	int64_t at = (int64_t)next(&data, &size) << next(&data, &size) % 56;

	nh_py_line(minor, data, size, 1, at);
	nh_py_line(minor, data, size, INT32_MAX, -at);
}

static void layout(const uint8_t *data, size_t size)
{
	unsigned char runtime[NH_PY_DEBUG_BYTES] = NH_PY_COOKIE;
	struct nh_py_layout l;
	uint32_t version;

	memcpy(runtime + 8, data, size < sizeof(runtime) - 8 ? size : sizeof(runtime) - 8);
	if (nh_py_published(runtime, &l, &version))
		return;
	for (int i = 0; i < NH_PY_FIELDS; i++)
		if (l.at[i] != NH_PY_NONE && l.at[i] > 1U << 20)
			abort();
}

static void text(const uint8_t *data, size_t size)
{
	unsigned width = 1U << next(&data, &size) % 3;
	struct nh_arena a = { 0 };
	const char *s = nh_py_utf8(&a, data, size / width, width);

	if (strlen(s) > size * 4)
		abort();
	nh_arena_free(&a);
}

/* Every frame appears once, in its order, whatever the anchors say. */
static void merge(const uint8_t *data, size_t size)
{
	size_t steps = next(&data, &size), native = 0, py = 0;
	struct nh_arena a = { 0 };
	struct nh_walk w = { .v = nh_new(&a, struct nh_step, steps + 1), .n = steps };
	struct nh_py_stack stack = { 0 };
	struct nh_merged_stack m;

	w.complete = next(&data, &size) & 1;
	for (size_t i = 0; i < steps; i++)
		w.v[i].sp = next(&data, &size) * 8;
	while (size) {
		size_t begin = stack.frames.n;

		for (unsigned n = next(&data, &size) % 8; n; n--)
			nh_push(&a, &stack.frames);
		*nh_push(&a, &stack.segments) =
			(struct nh_py_segment){ begin, stack.frames.n, next(&data, &size) * 8 };
	}
	nh_py_merge(&a, &w, &stack, &m);
	for (size_t i = 0; i < m.n; i++) {
		native += !m.v[i].py;
		py += m.v[i].py != NULL;
	}
	if (py != stack.frames.n || native > steps || m.unplaced > py)
		abort();
	nh_arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const uint8_t *, size_t) = { line, layout, text, merge };

	if (size)
		parsers[data[0] % 4](data + 1, size - 1);
	return 0;
}
