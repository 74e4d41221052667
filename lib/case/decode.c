#include "case/decode.h"

#include <stdlib.h>
#include <string.h>

static bool read_hex(const json_t *v, uint64_t *ret)
{
	const char *s = json_string_value(v);
	size_t digits;

	if (!s || s[0] != '0' || s[1] != 'x')
		return false;
	digits = strspn(s + 2, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || s[2 + digits])
		return false;
	*ret = strtoull(s + 2, NULL, 16);
	return true;
}

static int enum_value(const char *const *names, const char *name)
{
	for (int i = 1; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return 0;
}

/* Reads one element of a scalar kind into p; what was expected, or NULL if it was that. */
static const char *read_scalar(
	struct nh_decoder *d, const struct nh_field *f, const json_t *v, void *p)
{
	switch (f->kind) {
	case NH_F_INT:
	case NH_F_INTS:
		if (!json_is_integer(v))
			return "an integer";
		*(int64_t *)p = json_integer_value(v);
		return NULL;
	case NH_F_HEX:
	case NH_F_HEXES:
		return read_hex(v, p) ? NULL : "an address \"0x...\"";
	case NH_F_BOOL:
		if (!json_is_boolean(v))
			return "true or false";
		*(bool *)p = json_is_true(v);
		return NULL;
	default:
		if (!json_is_string(v))
			return "a string";
		if (f->kind == NH_F_ENUM)
			*(int *)p = enum_value(f->names, json_string_value(v));
		else
			*(const char **)p = nh_arena_strdup(d->a, json_string_value(v));
		return NULL;
	}
}

static size_t element_size(const struct nh_field *f)
{
	return f->kind == NH_F_STRS ? sizeof(const char *) : sizeof(int64_t);
}

/* All or nothing: the place of an element in a list may have a meaning. */
static void read_scalars(struct nh_decoder *d, const struct nh_type *type, const struct nh_field *f,
	const json_t *v, struct nh_vec *list)
{
	size_t before = list->n, size = element_size(f), i;
	json_t *e;

	json_array_foreach(v, i, e) {
		const char *expected = read_scalar(d, f, e, nh_vec_push(d->a, list, size));

		if (expected) {
			list->n = before;
			d->at.step[d->at.n++] = (struct nh_json_step){ NULL, i };
			d->wrong(d, type, f, expected, e);
			d->at.n--;
			return;
		}
	}
}

static void read_rows(struct nh_decoder *d, const struct nh_type *type, const struct nh_field *f,
	const json_t *v, struct nh_vec *list)
{
	size_t i;
	json_t *e;

	json_array_foreach(v, i, e) {
		d->at.step[d->at.n++] = (struct nh_json_step){ NULL, i };
		if (json_is_object(e))
			nh_decode_row(d, f->type, e, nh_row_push(d->a, f->type, list));
		else
			d->wrong(d, type, f, "an object", e);
		d->at.n--;
	}
}

static void read_field(struct nh_decoder *d, const struct nh_type *type, const struct nh_field *f,
	const json_t *v, void *p)
{
	bool list = f->kind == NH_F_INTS || f->kind == NH_F_HEXES || f->kind == NH_F_STRS ||
		    f->kind == NH_F_ROWS;
	const char *expected = NULL;

	if (list && !json_is_array(v)) {
		expected = "a list";
	} else if (f->kind == NH_F_ROWS) {
		read_rows(d, type, f, v, p);
	} else if (list) {
		read_scalars(d, type, f, v, p);
	} else if (f->kind != NH_F_ROW) {
		expected = read_scalar(d, f, v, p);
	} else if (!json_is_object(v)) {
		expected = "an object";
	} else {
		void *row = nh_arena_alloc(d->a, 1, f->type->size);

		nh_row_init(f->type, row);
		nh_decode_row(d, f->type, v, row);
		*(void **)p = row;
	}
	if (expected)
		d->wrong(d, type, f, expected, v);
}

void nh_decode_row(struct nh_decoder *d, const struct nh_type *type, const json_t *obj, void *row)
{
	for (const struct nh_field *f = type->fields; f->name; f++) {
		const json_t *v = json_object_get(obj, f->name);

		if (!v || json_is_null(v))
			continue;
		d->at.step[d->at.n++] = (struct nh_json_step){ f->name, 0 };
		read_field(d, type, f, v, (char *)row + f->offset);
		d->at.n--;
	}
}
