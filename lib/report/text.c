#include "report/doc.h"

#include <string.h>
#include "report/cells.h"

#define WIDTH_MIN 60
#define WIDTH_MAX 200
#define TERM_MAX 16 /* a longer term gets a line of its own */
#define CELL_MAX 32
#define LAST_MIN 24 /* what a table's last column keeps */

struct pen {
	FILE *f;
	struct nh_arena *a;
	size_t width;
	bool color, all;
};

static size_t width_of(const char *s)
{
	return nh_cells(s, strlen(s));
}

static void tone_on(const struct pen *p, enum nh_tone tone)
{
	static const char *const sgr[] = { "", "\033[1;31m", "\033[33m", "\033[32m", "\033[2m" };

	if (p->color)
		fputs(sgr[tone], p->f);
}

static void tone_off(const struct pen *p, enum nh_tone tone)
{
	if (p->color && tone)
		fputs("\033[0m", p->f);
}

static void bold(const struct pen *p, const char *s)
{
	fprintf(p->f, p->color ? "\033[1m%s\033[0m\n" : "%s\n", s);
}

static char *spaces(const struct pen *p, size_t n)
{
	char *s = nh_new(p->a, char, n + 1);

	memset(s, ' ', n);
	return s;
}

/* s and blanks up to so many cells, the blanks in front if right. */
static const char *pad(const struct pen *p, const char *s, size_t cells, bool right)
{
	size_t n = width_of(s);
	const char *blanks = spaces(p, n < cells ? cells - n : 0);

	return nh_arena_printf(p->a, "%s%s", right ? blanks : s, right ? s : blanks);
}

/* Text being laid out behind a margin. */
struct flow {
	const struct pen *p;
	const char *next; /* the margin of further lines */
	enum nh_tone tone;
	size_t room, at; /* cells of a line behind the margin, and how many are taken */
};

static void newline(struct flow *fl)
{
	tone_off(fl->p, fl->tone);
	fprintf(fl->p->f, "\n%s", fl->next);
	tone_on(fl->p, fl->tone);
	fl->at = 0;
}

/* One word.  What is wider than a line loses its middle or, with --all, goes on in the next. */
static void put_word(struct flow *fl, const char *word)
{
	if (!fl->p->all)
		word = nh_shorten(fl->p->a, word, fl->room);

	size_t n = width_of(word);

	if (fl->at && fl->at + 1 + n > fl->room)
		newline(fl);
	if (fl->at) {
		fputc(' ', fl->p->f);
		fl->at++;
	}
	for (; n > fl->room; n = width_of(word)) {
		size_t fits = nh_cells_fit(word, fl->room);

		fwrite(word, 1, fits, fl->p->f);
		newline(fl);
		word += fits;
	}
	fputs(word, fl->p->f);
	fl->at += n;
}

static void flow(const struct pen *p, const char *first, const char *next, const char *text,
	enum nh_tone tone)
{
	size_t margin = width_of(next);
	struct flow fl = { .p = p, .next = next, .tone = tone };

	fl.room = p->width > margin + 8 ? p->width - margin : 8;
	if (!*text) { /* no blanks at the end of a line */
		size_t n = strlen(first);

		while (n && first[n - 1] == ' ')
			n--;
		fprintf(p->f, "%.*s\n", (int)n, first);
		return;
	}
	fputs(first, p->f);
	tone_on(p, tone);
	while (*text) {
		size_t n = strcspn(text, " ");

		if (n)
			put_word(&fl, nh_arena_strndup(p->a, text, n));
		text += n + (text[n] == ' ');
	}
	tone_off(p, tone);
	fputc('\n', p->f);
}

/* A term in a column so wide, then the text; the margin stands before both. */
static void term_flow(
	const struct pen *p, const char *margin, const struct nh_block *b, size_t column)
{
	const char *first = nh_arena_printf(p->a, "%s%s  ", margin, pad(p, b->term, column, false));
	const char *next = nh_arena_printf(p->a, "%s%s", margin, spaces(p, column + 2));

	if (width_of(b->term) > column && *b->text) {
		flow(p, margin, margin, b->term, NH_TONE_PLAIN);
		first = next;
	}
	flow(p, first, next, b->text, b->tone);
}

/* The widest term among the neighbours of the same kind, nodes being no interruption. */
static size_t term_column(const struct nh_doc *d, size_t i)
{
	enum nh_block_kind kind = d->blocks.v[i].kind;
	size_t from = i, column = 0;

#define JOINS(k) ((k) == kind || (kind == NH_B_ARROW && (k) == NH_B_NODE))
	while (from && JOINS(d->blocks.v[from - 1].kind))
		from--;
	for (; from < d->blocks.n && JOINS(d->blocks.v[from].kind); from++) {
		size_t n = width_of(d->blocks.v[from].term);

		if (n <= TERM_MAX && n > column)
			column = n;
	}
#undef JOINS
	return column;
}

static void table_widths(const struct pen *p, const struct nh_block *t, size_t *widths)
{
	size_t total = 2, most = p->width - LAST_MIN;

	for (size_t c = 0; c + 1 < t->ncols; c++) {
		widths[c] = 0;
		nh_for(row, &t->rows) {
			size_t n = width_of(row->cells[c]);

			widths[c] = n > widths[c] ? n : widths[c];
		}
		if (widths[c] > CELL_MAX)
			widths[c] = CELL_MAX;
		total += widths[c] + 2;
	}
	for (; total > most; total--) {
		size_t widest = 0;

		for (size_t c = 1; c + 1 < t->ncols; c++)
			if (widths[c] > widths[widest])
				widest = c;
		if (widths[widest] <= 5)
			return;
		widths[widest]--;
	}
}

static void table(const struct pen *p, const struct nh_block *t)
{
	size_t widths[NH_COLS_MAX] = { 0 }, margin = 2, last = t->ncols - 1;

	table_widths(p, t, widths);
	for (size_t c = 0; c < last; c++)
		margin += widths[c] + 2;
	nh_for(row, &t->rows) {
		const char *first = "  ";

		for (size_t c = 0; c < last; c++)
			first = nh_arena_printf(p->a, "%s%s  ", first,
				pad(p, nh_shorten(p->a, row->cells[c], widths[c]), widths[c],
					t->right >> c & 1));
		flow(p, first, spaces(p, margin), row->cells[last], row->tone);
	}
}

static void arrow(const struct pen *p, const struct nh_doc *d, size_t i)
{
	const struct nh_block *b = &d->blocks.v[i];

	term_flow(p, b->dotted ? "    : " : "    | ", b, term_column(d, i));
	fputs("    v\n", p->f);
}

static void block(const struct pen *p, const struct nh_doc *d, size_t i)
{
	const struct nh_block *b = &d->blocks.v[i];

	switch (b->kind) {
	case NH_B_TITLE:
		flow(p, "", "  ", b->text, b->tone);
		return;
	case NH_B_HEADING:
		bold(p, b->text);
		return;
	case NH_B_PARA:
	case NH_B_NODE:
		flow(p, "  ", "  ", b->text, b->tone);
		return;
	case NH_B_ITEM:
		flow(p, "  - ", "    ", b->text, b->tone);
		return;
	case NH_B_STEP:
		flow(p, nh_arena_printf(p->a, "  %s. ", b->term), "     ", b->text, b->tone);
		return;
	case NH_B_DEF:
		term_flow(p, "  ", b, term_column(d, i));
		return;
	case NH_B_ARROW:
		arrow(p, d, i);
		return;
	case NH_B_COMMAND:
		fprintf(p->f, "       %s\n", b->text);
		return;
	case NH_B_LINE:
		fprintf(p->f, "    %s\n",
			p->all ? b->text : nh_shorten(p->a, b->text, p->width - 4));
		return;
	case NH_B_TABLE:
		table(p, b);
		return;
	}
}

/* Whether an empty line stands between two neighbours. */
static bool apart(enum nh_block_kind before, enum nh_block_kind b)
{
	if (b == NH_B_HEADING || b == NH_B_TITLE || before == NH_B_TITLE)
		return true;
	if (before == NH_B_HEADING || b == NH_B_COMMAND || b == NH_B_ARROW || b == NH_B_LINE)
		return false;
	if (before == NH_B_COMMAND)
		return b != NH_B_ITEM && b != NH_B_STEP;
	if (before == NH_B_ARROW && b == NH_B_NODE)
		return false;
	return before != b || b == NH_B_PARA || b == NH_B_NODE;
}

void nh_doc_text(FILE *f, const struct nh_doc *d, const struct nh_report_opts *opts)
{
	struct nh_arena scratch = { 0 };
	int width = opts->width < WIDTH_MIN ? WIDTH_MIN : opts->width;
	struct pen p = { .f = f, .a = &scratch, .color = opts->color, .all = opts->all };

	p.width = (size_t)(width > WIDTH_MAX ? WIDTH_MAX : width);
	for (size_t i = 0; i < d->blocks.n; i++) {
		if (i && apart(d->blocks.v[i - 1].kind, d->blocks.v[i].kind))
			fputc('\n', f);
		block(&p, d, i);
	}
	nh_arena_free(&scratch);
}
