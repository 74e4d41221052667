#include "case/intake_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "case/decode.h"

#define LINE_LIMIT (16u << 20)
#define ERRORS_KEPT 100

/* One line being read; the decoder comes first, so that its callback finds the rest. */
struct reading {
	struct nh_decoder d;
	struct nh_intake *in;
	const struct nh_intake_source *src;
	const char *json; /* the object */
	size_t n;
	size_t column;	    /* characters before it */
	const char *prefix; /* of pdsh, NULL = none */
};

struct nh_intake *nh_intake_new(struct nh_arena *a)
{
	struct nh_intake *in = nh_new(a, struct nh_intake, 1);

	in->a = a;
	return in;
}

/* Kept as "SOURCE: line N: …", or "SOURCE: line N, column M: …" for a column that is not 0. */
static void __attribute__((format(printf, 4, 5))) complain(struct nh_intake *in,
	const struct nh_intake_source *src, size_t column, const char *fmt, ...)
{
	char where[32] = "";
	va_list ap;

	if (in->errors.n == ERRORS_KEPT) {
		snprintf(in->more, sizeof(in->more), "%zu more such errors", ++in->untold);
		return;
	}
	if (column)
		snprintf(where, sizeof(where), ", column %zu", column);
	va_start(ap, fmt);
	*nh_push(in->a, &in->errors) = nh_arena_printf(in->a, "%s: line %lld%s: %s", src->name,
		(long long)src->line, where, nh_escape(in->a, nh_arena_vprintf(in->a, fmt, ap)));
	va_end(ap);
}

static size_t characters(const char *s, size_t n)
{
	size_t chars = 0;

	for (size_t i = 0, len; i < n; i += len ? len : 1, chars++)
		len = nh_utf8_len(s + i, n - i);
	return chars;
}

static const char *json_kind(const json_t *v)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a real number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return names[json_typeof(v)];
}

static void wrong_type(struct nh_decoder *d, const struct nh_type *type, const struct nh_field *f,
	const char *expected, const json_t *found)
{
	const struct reading *r = (const struct reading *)d;
	size_t at = nh_json_locate(r->json, r->n, &d->at);
	bool row = type != &nh_case_header_type && type != &nh_case_tables_type;

	complain(r->in, r->src, r->column + characters(r->json, at) + 1,
		"%s%s%s: expected %s, found %s", row ? type->name : "", row ? "." : "", f->name,
		expected, json_kind(found));
}

static struct nh_intake_entry *entry_of(struct nh_intake *in, const json_t *id)
{
	struct nh_map_entry *e =
		nh_map_at(in->a, &in->ids, json_string_value(id), json_string_length(id));
	struct nh_intake_entry *c = e->value;

	if (!c) {
		c = e->value = nh_new(in->a, struct nh_intake_entry, 1);
		nh_row_init(&nh_case_header_type, &c->c);
		c->c.arena = in->a;
		c->c.id = e->key;
		c->last = c->most = -1;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		*nh_push(in->a, &in->cases) = c;
	}
	return c;
}

/* False if this line of the case was here before. */
static bool first_time(struct nh_intake *in, struct nh_intake_entry *c, int64_t n)
{
	struct {
		const struct nh_intake_entry *c;
		int64_t n;
	} key = { c, n };
	struct nh_map_entry *e = nh_map_at(in->a, &in->seen, &key, sizeof(key));

	if (e->value)
		return false;
	e->value = c;
	*nh_push(in->a, &c->lines) = n;
	if (n > c->most)
		c->most = n;
	return true;
}

static const struct nh_field verdict_field = { .name = "verdict" };

static void read_object(struct reading *r, const json_t *obj)
{
	const json_t *id = json_object_get(obj, "case"), *n = json_object_get(obj, "n");
	const json_t *verdict = json_object_get(obj, "verdict");
	struct nh_intake_entry *c;

	if (!json_is_string(id) || !json_is_integer(n) || json_integer_value(n) < 0) {
		complain(r->in, r->src, 0, "not a line of a case: no \"case\" and \"n\"");
		return;
	}
	c = entry_of(r->in, id);
	if (!first_time(r->in, c, json_integer_value(n)))
		return;
	if (!c->prefix)
		c->prefix = r->prefix;
	nh_decode_row(&r->d, &nh_case_header_type, obj, &c->c);
	nh_decode_row(&r->d, &nh_case_tables_type, obj, &c->c);
	r->d.at = (struct nh_json_path){ { { "verdict", 0 } }, 1 };
	if (json_is_object(verdict))
		nh_decode_row(&r->d, &nh_verdict_type, verdict, &c->c.verdict);
	else if (verdict)
		wrong_type(&r->d, &nh_case_header_type, &verdict_field, "an object", verdict);
	if (json_is_true(json_object_get(obj, "end")))
		c->last = json_integer_value(n);
	if (json_object_get(obj, "schema") && c->c.schema > NH_SCHEMA)
		complain(r->in, r->src, 0,
			"written by a newer ncclhang (schema %lld), this one reads %d",
			(long long)c->c.schema, NH_SCHEMA);
}

/* Parses the object; foreign bytes that are no UTF-8 are mended first where there are any. */
static json_t *parse(struct nh_arena *scratch, struct reading *r, json_error_t *err)
{
	json_t *obj = json_loadb(r->json, r->n, JSON_REJECT_DUPLICATES, err);
	const char *mended;

	if (obj)
		return obj;
	mended = nh_utf8_repair(scratch, r->json, r->n);
	if (strlen(mended) == r->n)
		return NULL;
	r->json = mended;
	r->n = strlen(mended);
	return json_loadb(r->json, r->n, JSON_REJECT_DUPLICATES, err);
}

static void take_line(
	struct nh_intake *in, const struct nh_intake_source *src, const char *s, size_t n)
{
	struct reading r = { { .a = in->a, .wrong = wrong_type }, .in = in, .src = src };
	struct nh_arena scratch = { 0 };
	const char *brace;
	json_error_t err;
	json_t *obj;

	while (n && strchr(" \t\r", s[n - 1]))
		n--;
	if (!n)
		return;
	brace = memchr(s, '{', n);
	if (!brace || (brace > s && (brace < s + 2 || memcmp(brace - 2, ": ", 2) != 0))) {
		complain(in, src, 0, "not a line of a case");
		return;
	}
	r.json = brace;
	r.n = n - (size_t)(brace - s);
	r.column = characters(s, (size_t)(brace - s));
	if (brace > s)
		r.prefix = nh_utf8_repair(in->a, s, (size_t)(brace - s) - 2);
	obj = parse(&scratch, &r, &err);
	if (obj)
		read_object(&r, obj);
	else
		complain(in, src, r.column + (size_t)err.column, "not valid JSON: %s", err.text);
	json_decref(obj);
	nh_arena_free(&scratch);
}

static struct nh_intake_source *source_of(struct nh_intake *in, const char *name)
{
	struct nh_intake_source *unused = NULL;

	nh_for(src, &in->sources) {
		if (nh_streq(src->name, name))
			return src;
		if (!src->name)
			unused = src;
	}
	if (!unused)
		unused = nh_push(in->a, &in->sources);
	unused->name = nh_arena_strdup(in->a, name);
	unused->line = 1;
	return unused;
}

static void keep_part(struct nh_intake *in, struct nh_intake_source *src, const char *s, size_t n)
{
	if (src->part.n + n > LINE_LIMIT && !src->skipping) {
		complain(in, src, 0, "longer than 16 MiB, skipped");
		src->skipping = true;
		src->part.n = 0;
	}
	if (src->skipping || !n)
		return;
	if (src->part.cap - src->part.n < n) {
		size_t cap = (src->part.n + n) * 2;
		char *grown = nh_new(in->a, char, cap);

		if (src->part.n)
			memcpy(grown, src->part.v, src->part.n);
		src->part.v = grown;
		src->part.cap = cap;
	}
	memcpy(src->part.v + src->part.n, s, n);
	src->part.n += n;
}

static void end_line(struct nh_intake *in, struct nh_intake_source *src, const char *s, size_t n)
{
	if (src->part.n || src->skipping || n > LINE_LIMIT) {
		keep_part(in, src, s, n);
		s = src->part.v;
		n = src->part.n;
	}
	if (!src->skipping)
		take_line(in, src, s, n);
	src->part.n = 0;
	src->skipping = false;
	src->line++;
}

void nh_intake_feed(struct nh_intake *in, const char *name, const char *buf, size_t len)
{
	struct nh_intake_source *src = source_of(in, name);
	const char *end = buf + len, *nl;

	for (; buf < end && (nl = memchr(buf, '\n', (size_t)(end - buf))); buf = nl + 1)
		end_line(in, src, buf, (size_t)(nl - buf));
	keep_part(in, src, buf, (size_t)(end - buf));
}

void nh_intake_end_source(struct nh_intake *in, const char *name)
{
	struct nh_intake_source *src = source_of(in, name);

	end_line(in, src, NULL, 0);
	src->name = NULL;
}

size_t nh_intake_count(const struct nh_intake *in)
{
	return in->cases.n;
}

struct nh_case *nh_intake_case(struct nh_intake *in, size_t i)
{
	return &in->cases.v[i]->c;
}

const char *nh_intake_error(const struct nh_intake *in, size_t i)
{
	if (i < in->errors.n)
		return in->errors.v[i];
	return i == ERRORS_KEPT && in->untold ? in->more : NULL;
}

int nh_intake_complete(const struct nh_intake *in, size_t i)
{
	const struct nh_intake_entry *c = in->cases.v[i];

	if (c == in->files)
		return !c->c.gaps.n; /* without rows there is nothing else to tell */
	return c->last >= 0 && c->most == c->last && (int64_t)c->lines.n - 1 == c->last;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void missing(struct nh_intake_entry *c, const char *what)
{
	struct nh_gap *gap = nh_push(c->c.arena, &c->c.gaps);
	struct nh_arena *a = c->c.arena;

	gap->subject = c->c.host ? nh_arena_printf(a, "case %s of %s", c->c.id, c->c.host)
				 : nh_arena_printf(a, "case %s", c->c.id);
	gap->what = what;
	gap->why = "lost or cut";
	gap->needed = true;
}

static void find_missing(struct nh_arena *a, struct nh_intake_entry *c)
{
	int64_t next = 0;

	qsort(c->lines.v, c->lines.n, sizeof(*c->lines.v), by_number);
	nh_for(n, &c->lines) {
		if (*n == next + 1)
			missing(c, nh_arena_printf(a, "line %lld", (long long)next));
		else if (*n > next)
			missing(c, nh_arena_printf(a, "lines %lld-%lld", (long long)next,
					   (long long)*n - 1));
		next = *n == INT64_MAX ? *n : *n + 1;
	}
	if (c->last < 0)
		missing(c, nh_arena_printf(a, "the end, from line %lld on", (long long)next));
}

void nh_intake_finish(struct nh_intake *in)
{
	nh_intake_end_files(in);
	nh_for(it, &in->cases) {
		struct nh_intake_entry *c = *it;

		if (c == in->files)
			continue;
		if (!c->c.host)
			c->c.host = c->prefix;
		find_missing(in->a, c);
	}
}
