#include "case/intake.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/set.h"
#include "base/str.h"
#include "case/decode.h"
#include "case/map.h"
#include "evidence/checkpoint.h"
#include "evidence/flight.h"
#include "evidence/log.h"

#define LINE_LIMIT (16u << 20)
#define ERRORS_KEPT 100
#define ID_BYTES 4096 /* of each evidence file that make up the id of their case */

/* A case and what came of it. */
struct entry {
	struct nh_case c;
	NH_VEC(int64_t) lines; /* the numbers of its lines, each once, as they came */
	int64_t last;	       /* number of the line that ended it, -1 = none yet */
	int64_t most;	       /* the highest number so far */
	const char *prefix;    /* what pdsh called the host, NULL = nothing */
};

/* A file or stream: its lines may arrive in pieces, between pieces of others. */
struct source {
	const char *name;  /* NULL: ended */
	NH_VEC(char) part; /* the beginning of an unfinished line */
	int64_t line;	   /* number of the present line, from 1 */
	bool skipping;	   /* the present line is too long, its rest is dropped */
};

struct nh_intake {
	struct nh_arena *a;
	NH_VEC(struct entry *) cases;
	NH_VEC(struct source) sources;
	struct nh_map ids;   /* case id → struct entry */
	struct nh_map seen;  /* case and line number → itself */
	struct entry *files; /* the case made of evidence files, NULL = there were none */
	struct nh_flight *flight;
	struct nh_log *log;
	uint64_t hash; /* of those files */
	NH_VEC(const char *) errors;
	size_t untold; /* errors that were not kept */
	char more[64];
};

/* One line being read; the decoder comes first, so that its callback finds the rest. */
struct reading {
	struct nh_decoder d;
	struct nh_intake *in;
	const struct source *src;
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
static void __attribute__((format(printf, 4, 5)))
complain(struct nh_intake *in, const struct source *src, size_t column, const char *fmt, ...)
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

static struct entry *entry_of(struct nh_intake *in, const json_t *id)
{
	struct nh_map_entry *e =
		nh_map_at(in->a, &in->ids, json_string_value(id), json_string_length(id));
	struct entry *c = e->value;

	if (!c) {
		c = e->value = nh_new(in->a, struct entry, 1);
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
static bool first_time(struct nh_intake *in, struct entry *c, int64_t n)
{
	struct {
		const struct entry *c;
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
	struct entry *c;

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

static void take_line(struct nh_intake *in, const struct source *src, const char *s, size_t n)
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

static struct source *source_of(struct nh_intake *in, const char *name)
{
	struct source *unused = NULL;

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

static void keep_part(struct nh_intake *in, struct source *src, const char *s, size_t n)
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

static void end_line(struct nh_intake *in, struct source *src, const char *s, size_t n)
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
	struct source *src = source_of(in, name);
	const char *end = buf + len, *nl;

	for (; buf < end && (nl = memchr(buf, '\n', (size_t)(end - buf))); buf = nl + 1)
		end_line(in, src, buf, (size_t)(nl - buf));
	keep_part(in, src, buf, (size_t)(end - buf));
}

void nh_intake_end_source(struct nh_intake *in, const char *name)
{
	struct source *src = source_of(in, name);

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
	const struct entry *c = in->cases.v[i];

	if (c == in->files)
		return !c->c.gaps.n; /* without rows there is nothing else to tell */
	return c->last >= 0 && c->most == c->last && (int64_t)c->lines.n - 1 == c->last;
}

/* Dumps, logs, checkpoints: all of them tell of one job.  Its id depends on the files alone, so
 * that the same files give the same report. */
static struct nh_case *files_case(struct nh_intake *in, const char *buf, size_t len)
{
	struct entry *e = in->files;

	if (!e) {
		e = in->files = nh_new(in->a, struct entry, 1);
		nh_row_init(&nh_case_header_type, &e->c);
		e->c.arena = in->a;
		e->c.schema = NH_SCHEMA;
		e->c.tool = "ncclhang " NH_VERSION;
		e->last = -1;
		*nh_push(in->a, &in->cases) = e;
	}
	in->hash = nh_hash(buf, len < ID_BYTES ? len : ID_BYTES, in->hash ^ len);
	e->c.id = nh_arena_printf(in->a, "%016llx", (unsigned long long)in->hash);
	return &e->c;
}

int nh_intake_evidence(struct nh_intake *in, enum nh_kind kind, const char *name, const char *buf,
	size_t len, struct nh_err *err)
{
	struct nh_case *c = files_case(in, buf, len);

	if (kind != NH_KIND_FLIGHT)
		return nh_fail(err, -EINVAL, "%s: not evidence of a known kind", name);
	if (!in->flight)
		in->flight = nh_flight_new(c);
	return in->flight ? nh_flight_read(in->flight, name, buf, len, err)
			  : nh_fail(err, -ENOMEM, "%s: %s", name, strerror(ENOMEM));
}

int nh_intake_log_begin(struct nh_intake *in, const char *name, const char *buf, size_t len)
{
	struct nh_case *c = files_case(in, buf, len);

	if (!in->log)
		in->log = nh_log_new(c);
	if (!in->log)
		return -ENOMEM;
	nh_log_begin(in->log, name);
	nh_log_feed(in->log, buf, len);
	return 0;
}

void nh_intake_log_feed(struct nh_intake *in, const char *buf, size_t len)
{
	nh_log_feed(in->log, buf, len);
}

void nh_intake_log_end(struct nh_intake *in)
{
	nh_log_end(in->log);
}

int nh_intake_checkpoint(struct nh_intake *in, const char *name, int fd, struct nh_err *err)
{
	return nh_checkpoint_file(files_case(in, name, strlen(name)), name, fd, err);
}

int nh_intake_dir(struct nh_intake *in, const char *path, struct nh_err *err)
{
	if (!nh_checkpoint_is_dir(path))
		return 1;
	return nh_checkpoint_dir(files_case(in, path, strlen(path)), path, err);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void missing(struct entry *c, const char *what)
{
	struct nh_gap *gap = nh_push(c->c.arena, &c->c.gaps);
	struct nh_arena *a = c->c.arena;

	gap->subject = c->c.host ? nh_arena_printf(a, "case %s of %s", c->c.id, c->c.host)
				 : nh_arena_printf(a, "case %s", c->c.id);
	gap->what = what;
	gap->why = "lost or cut";
	gap->needed = true;
}

static void find_missing(struct nh_arena *a, struct entry *c)
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
	nh_flight_free(in->flight);
	nh_log_free(in->log);
	in->flight = NULL;
	in->log = NULL;
	nh_for(it, &in->cases) {
		struct entry *c = *it;

		if (c == in->files)
			continue;
		if (!c->c.host)
			c->c.host = c->prefix;
		find_missing(in->a, c);
	}
}
