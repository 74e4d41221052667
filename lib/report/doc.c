#include "report/doc.h"

#include <stdarg.h>
#include "base/str.h"

struct nh_block *nh_doc_pair(
	struct nh_doc *d, enum nh_block_kind kind, const char *term, const char *text)
{
	struct nh_block *b = nh_push(d->arena, &d->blocks);

	b->kind = kind;
	b->term = term ? nh_escape(d->arena, term) : "";
	b->text = text ? nh_escape(d->arena, text) : "";
	return b;
}

void nh_doc_add(struct nh_doc *d, enum nh_block_kind kind, const char *text)
{
	nh_doc_pair(d, kind, NULL, text);
}

void nh_doc_printf(struct nh_doc *d, enum nh_block_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nh_doc_pair(d, kind, NULL, nh_arena_vprintf(d->arena, fmt, ap));
	va_end(ap);
}

void nh_doc_detail(struct nh_doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nh_doc_pair(d, NH_B_HEADING, NULL, nh_arena_vprintf(d->arena, fmt, ap))->detail = true;
	va_end(ap);
}

void nh_doc_def(struct nh_doc *d, const char *term, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nh_doc_pair(d, NH_B_DEF, term, nh_arena_vprintf(d->arena, fmt, ap));
	va_end(ap);
}

struct nh_row *nh_doc_row(struct nh_doc *d, struct nh_block *table)
{
	struct nh_row *row = nh_push(d->arena, &table->rows);

	for (size_t i = 0; i < table->ncols; i++)
		row->cells[i] = "";
	return row;
}

struct nh_block *nh_doc_table(struct nh_doc *d, unsigned right, const char *const *heads)
{
	struct nh_block *b = nh_doc_pair(d, NH_B_TABLE, NULL, NULL);
	struct nh_row *row;

	while (b->ncols < NH_COLS_MAX && heads[b->ncols])
		b->ncols++;
	b->right = right;
	row = nh_doc_row(d, b);
	row->tone = NH_TONE_DIM;
	for (size_t i = 0; i < b->ncols; i++)
		row->cells[i] = heads[i];
	return b;
}

const char *nh_doc_cell(struct nh_doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *s = nh_escape(d->arena, nh_arena_vprintf(d->arena, fmt, ap));
	va_end(ap);
	return s;
}
