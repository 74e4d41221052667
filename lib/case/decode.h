/* Parsed JSON → rows, by their field tables. */
#ifndef NH_CASE_DECODE_H
#define NH_CASE_DECODE_H

#include <jansson.h>
#include "model/field.h"

/* The deepest place in a line: list, row, list, row, … of the field tables. */
#define NH_JSON_DEPTH 12

/* A step down from an object or a list. */
struct nh_json_step {
	const char *key; /* NULL: the index-th element */
	size_t index;
};
struct nh_json_path {
	struct nh_json_step step[NH_JSON_DEPTH];
	size_t n;
};

struct nh_decoder {
	struct nh_arena *a;
	struct nh_json_path at;
	/* Told of each field whose value has the wrong type; the field stays unknown. */
	void (*wrong)(struct nh_decoder *d, const struct nh_type *type, const struct nh_field *f,
		const char *expected, const json_t *found);
};

/* Sets the row's fields from obj, appending to its lists.  Keys the table does not have, null, and
 * enum names it does not know are passed over: newer writers may add them. */
void nh_decode_row(struct nh_decoder *d, const struct nh_type *type, const json_t *obj, void *row);

/* Offset in the JSON text (valid, n bytes) of what the path leads to: of a member its key. */
size_t nh_json_locate(const char *s, size_t n, const struct nh_json_path *path);

#endif
