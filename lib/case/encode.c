#include "case/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MORE "\xe2\x80\xa6" /* … */

static char *reserve(struct nh_text *t, size_t n)
{
	if (t->cap - t->n < n) {
		size_t cap = (t->cap + n) * 2;
		char *grown = nh_new(t->a, char, cap);

		if (t->n)
			memcpy(grown, t->s, t->n);
		t->s = grown;
		t->cap = cap;
	}
	return t->s + t->n;
}

void nh_text_add(struct nh_text *t, const char *s, size_t n)
{
	if (n)
		memcpy(reserve(t, n), s, n);
	t->n += n;
}

static void add(struct nh_text *t, const char *s)
{
	nh_text_add(t, s, strlen(s));
}

static void add_int(struct nh_text *t, int64_t v)
{
	char buf[24];

	nh_text_add(t, buf, (size_t)snprintf(buf, sizeof(buf), "%" PRId64, v));
}

static void add_hex(struct nh_text *t, uint64_t v)
{
	char buf[24];

	nh_text_add(t, buf, (size_t)snprintf(buf, sizeof(buf), "\"0x%" PRIx64 "\"", v));
}

static void add_escape(struct nh_text *t, unsigned char c)
{
	static const char from[] = "\"\\\n\t\r", to[] = "\"\\ntr";
	const char *p = strchr(from, c);

	if (p && *p) {
		const char brief[] = { '\\', to[p - from] };

		nh_text_add(t, brief, sizeof(brief));
	} else {
		const char hex[] = { '\\', 'u', '0', '0', c < 16 ? '0' : '1',
			"0123456789abcdef"[c & 15] };

		nh_text_add(t, hex, sizeof(hex));
	}
}

void nh_encode_str(struct nh_text *t, const char *s, size_t max)
{
	size_t n = strnlen(s, max + 1), from = 0;
	bool cut = n > max;

	if (cut)
		for (n = max; n && (s[n] & 0xc0) == 0x80; n--)
			;
	nh_text_add(t, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)s[i] >= 0x20 && s[i] != '"' && s[i] != '\\')
			continue;
		nh_text_add(t, s + from, i - from);
		add_escape(t, (unsigned char)s[i]);
		from = i + 1;
	}
	nh_text_add(t, s + from, n - from);
	add(t, cut ? MORE "\"" : "\"");
}

static void add_element(struct nh_text *t, const struct nh_field *f, const struct nh_vec *list,
	size_t i, struct nh_limits *lim)
{
	if (f->kind == NH_F_INTS)
		add_int(t, ((const int64_t *)list->v)[i]);
	else if (f->kind == NH_F_HEXES)
		add_hex(t, ((const uint64_t *)list->v)[i]);
	else if (f->kind == NH_F_STRS)
		nh_encode_str(t, ((const char *const *)list->v)[i], lim->str);
	else
		nh_encode_row(t, f->type, (const char *)list->v + i * f->type->size, lim);
}

static bool has_fact(const struct nh_type *type)
{
	for (const struct nh_field *f = type->fields; f->name; f++)
		if (!strcmp(f->name, "fact"))
			return true;
	return false;
}

/* Says what a cut list lacks, as its last element. */
static void add_more(
	struct nh_text *t, const struct nh_field *f, size_t more, struct nh_limits *lim)
{
	char buf[64];

	if (f->kind != NH_F_STRS && !(f->kind == NH_F_ROWS && has_fact(f->type))) {
		lim->lost = true;
		return;
	}
	snprintf(buf, sizeof(buf),
		f->kind == NH_F_STRS ? "\"%s %zu more\"" : "{\"fact\":\"%s %zu more\"}", MORE,
		more);
	if (t->s[t->n - 1] != '[')
		add(t, ",");
	add(t, buf);
}

/* The integer next to a list that has its length where the list was cut, or NULL. */
static const struct nh_field *total_of(const struct nh_field *list)
{
	const struct nh_field *f = list + 1;
	size_t n = strlen(list->name);

	return f->name && f->kind == NH_F_INT && !strncmp(f->name, list->name, n) &&
			       !strcmp(f->name + n, "_total")
		       ? f
		       : NULL;
}

static void add_key(struct nh_text *t, const struct nh_field *f)
{
	nh_text_add(t, ",\"", 2);
	add(t, f->name);
	nh_text_add(t, "\":", 2);
}

static void add_list(
	struct nh_text *t, const struct nh_field *f, const void *row, struct nh_limits *lim)
{
	const struct nh_vec *list = (const void *)((const char *)row + f->offset);
	const struct nh_field *total = total_of(f);
	size_t max = total ? lim->counted : lim->list, n = list->n < max ? list->n : max;

	if (!list->n)
		return;
	add_key(t, f);
	add(t, "[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			nh_text_add(t, ",", 1);
		add_element(t, f, list, i, lim);
	}
	if (n < list->n && !total)
		add_more(t, f, list->n - n, lim);
	add(t, "]");
	if (n < list->n && total &&
		*(const int64_t *)((const char *)row + total->offset) == NH_UNKNOWN) {
		add_key(t, total);
		add_int(t, (int64_t)list->n);
	}
}

static void add_field(
	struct nh_text *t, const struct nh_field *f, const void *row, struct nh_limits *lim)
{
	const void *p = (const char *)row + f->offset;

	switch (f->kind) {
	case NH_F_INT:
		if (*(const int64_t *)p != NH_UNKNOWN) {
			add_key(t, f);
			add_int(t, *(const int64_t *)p);
		}
		break;
	case NH_F_HEX:
		if (*(const uint64_t *)p) {
			add_key(t, f);
			add_hex(t, *(const uint64_t *)p);
		}
		break;
	case NH_F_BOOL:
		if (*(const bool *)p) {
			add_key(t, f);
			add(t, "true");
		}
		break;
	case NH_F_STR:
		if (*(const char *const *)p) {
			add_key(t, f);
			nh_encode_str(t, *(const char *const *)p, lim->str);
		}
		break;
	case NH_F_ENUM:
		if (*(const int *)p) {
			add_key(t, f);
			nh_encode_str(t, f->names[*(const int *)p], NH_ALL);
		}
		break;
	case NH_F_ROW:
		if (*(const void *const *)p) {
			add_key(t, f);
			nh_encode_row(t, f->type, *(const void *const *)p, lim);
		}
		break;
	default:
		add_list(t, f, row, lim);
	}
}

void nh_encode_fields(
	struct nh_text *t, const struct nh_type *type, const void *row, struct nh_limits *lim)
{
	for (const struct nh_field *f = type->fields; f->name; f++)
		add_field(t, f, row, lim);
}

void nh_encode_row(
	struct nh_text *t, const struct nh_type *type, const void *row, struct nh_limits *lim)
{
	size_t start = t->n;

	nh_encode_fields(t, type, row, lim);
	if (t->n == start)
		add(t, "{");
	else
		t->s[start] = '{';
	add(t, "}");
}
