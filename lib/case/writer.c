#include "case/codec.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "case/encode.h"

#define TAIL 3 /* "]}\n" */
#define ALL NH_ALL
#define ID_MAX 64

/* What is given up first where a line would be too long: victims, the other lists, words. */
static const struct nh_limits header_steps[] = {
	{ ALL, ALL, ALL },
	{ 512, ALL, ALL },
	{ 128, ALL, ALL },
	{ 32, ALL, ALL },
	{ 32, 128, ALL },
	{ 16, 32, ALL },
	{ 16, 32, 4096 },
	{ 16, 16, 1024 },
	{ 8, 8, 256 },
	{ 4, 4, 128 },
	{ 1, 1, 64 },
	{ 0, 0, 64 },
};
/* Of a table's row: long words, else long lists, else both. */
static const struct nh_limits row_steps[] = {
	{ ALL, ALL, ALL },
	{ ALL, ALL, 16384 },
	{ ALL, ALL, 4096 },
	{ ALL, 4096, ALL },
	{ ALL, 1024, ALL },
	{ 256, 256, 4096 },
	{ 64, 64, 512 },
	{ 8, 8, 64 },
	{ 0, 0, 64 },
};
#define NSTEPS(steps) (sizeof(steps) / sizeof(*(steps)))

/* The line being filled. */
struct line {
	struct nh_writer *w;
	struct nh_arena scratch;
	struct nh_text text, row;
	const struct nh_field *list; /* the list that is open at its end */
	size_t start;		     /* length of an empty line */
};

const char *nh_case_new_id(struct nh_arena *a)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		id = (uintptr_t)a;
	return nh_arena_printf(a, "%016llx", (unsigned long long)id);
}

static void add(struct nh_text *t, const char *s)
{
	nh_text_add(t, s, strlen(s));
}

static void begin(struct line *l)
{
	char n[32];
	struct nh_text *t = &l->text;

	t->n = 0;
	add(t, "{\"case\":");
	nh_encode_str(t, l->w->id, ID_MAX);
	snprintf(n, sizeof(n), ",\"n\":%lld", (long long)l->w->n);
	add(t, n);
	l->start = t->n;
	l->list = NULL;
}

static void open_lines(struct line *l, struct nh_writer *w)
{
	*l = (struct line){ .w = w };
	l->text.a = l->row.a = &l->scratch;
	begin(l);
}

static int flush(struct line *l)
{
	int rc;

	add(&l->text, l->list ? "]}\n" : "}\n");
	rc = l->w->sink.write(l->w->sink.ctx, l->text.s, l->text.n);
	l->w->n++;
	begin(l);
	return rc;
}

/* Writes what is left and releases the scratch; rc is passed on if it is an error. */
static int close_lines(struct line *l, int rc)
{
	if (!rc && l->text.n > l->start)
		rc = flush(l);
	nh_arena_free(&l->scratch);
	return rc;
}

/* Appends a row to its list in the present line, or in the next where it does not fit. */
static int put_row(struct line *l, const struct nh_field *list, const void *row, bool *lost)
{
	size_t head = strlen(list->name) + strlen(",\"\":["), room;
	int rc = 0;

	room = NH_LINE_MAX - TAIL - head - l->start - 20; /* the next line's number may be longer */
	for (size_t i = 0; i < NSTEPS(row_steps); i++) {
		struct nh_limits lim = row_steps[i];

		l->row.n = 0;
		nh_encode_row(&l->row, list->type, row, &lim);
		*lost = lim.lost;
		if (l->row.n <= room)
			break;
	}
	if (l->text.n + head + l->row.n + TAIL > NH_LINE_MAX)
		rc = flush(l);
	if (l->list == list) {
		add(&l->text, ",");
	} else {
		add(&l->text, l->list ? "],\"" : ",\"");
		add(&l->text, list->name);
		add(&l->text, "\":[");
		l->list = list;
	}
	nh_text_add(&l->text, l->row.s, l->row.n);
	return rc;
}

static const struct nh_field *gaps_field(void)
{
	const struct nh_field *f = nh_case_header_type.fields;

	while (strcmp(f->name, "gaps") != 0)
		f++;
	return f;
}

/* A list that had to be cut leaves a gap behind: nobody may take it for the whole. */
static int put_cut(struct line *l, const char *what)
{
	struct nh_gap gap = { .subject = what,
		.what = "lists",
		.why = "too long for a line of 64 KiB, cut",
		.needed = true };
	bool lost;

	return put_row(l, gaps_field(), &gap, &lost);
}

static int put_list(struct line *l, const struct nh_field *list, const struct nh_case *c)
{
	const struct nh_vec *rows = (const void *)((const char *)c + list->offset);
	size_t cut = 0;
	int rc = 0;

	for (size_t i = 0; i < rows->n && !rc; i++) {
		bool lost;

		rc = put_row(l, list, (const char *)rows->v + i * list->type->size, &lost);
		cut += lost;
	}
	if (cut && !rc)
		rc = put_cut(l, list->name);
	return rc;
}

int nh_write_header(struct nh_writer *w, const struct nh_case *c)
{
	struct nh_case head = *c;
	struct nh_limits lim;
	struct line l;
	int rc = 0;

	head.gaps.n = 0; /* they follow the verdict, and may spill into further lines */
	open_lines(&l, w);
	for (size_t i = 0; i < NSTEPS(header_steps); i++) {
		lim = header_steps[i];
		l.text.n = l.start;
		nh_encode_fields(&l.text, &nh_case_header_type, &head, &lim);
		add(&l.text, ",\"verdict\":");
		nh_encode_row(&l.text, &nh_verdict_type, &c->verdict, &lim);
		if (l.text.n + TAIL <= NH_LINE_MAX)
			break;
	}
	if (lim.lost)
		rc = put_cut(&l, "verdict");
	if (!rc)
		rc = put_list(&l, gaps_field(), c);
	return close_lines(&l, rc);
}

int nh_write_tables(struct nh_writer *w, const struct nh_case *c)
{
	struct line l;
	int rc = 0;

	open_lines(&l, w);
	for (const struct nh_field *f = nh_case_tables_type.fields; f->name && !rc; f++)
		rc = put_list(&l, f, c);
	return close_lines(&l, rc);
}

int nh_write_gaps(struct nh_writer *w, const struct nh_case *c)
{
	struct line l;

	open_lines(&l, w);
	return close_lines(&l, put_list(&l, gaps_field(), c));
}

int nh_write_end(struct nh_writer *w)
{
	struct line l;

	open_lines(&l, w);
	add(&l.text, ",\"end\":true");
	return close_lines(&l, 0);
}

int nh_case_write(const struct nh_case *c, struct nh_sink sink)
{
	struct nh_writer w = { sink, c->id, 0 };
	int rc = nh_write_header(&w, c);

	if (!rc)
		rc = nh_write_tables(&w, c);
	if (!rc)
		rc = nh_write_end(&w);
	return rc;
}
