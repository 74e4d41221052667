#include "tui/grid.h"

#include <string.h>
#include "base/str.h"
#include "report/cells.h"

/* What stands for the characters we draw with where there is only ASCII. */
static const struct {
	const char *utf8, *ascii;
} likeness[] = {
	{ "─", "-" },
	{ "│", "|" },
	{ "└", "`" },
	{ "●", "o" },
	{ "◆", "*" },
	{ "…", "~" },
};

void nh_grid_init(struct nh_arena *a, int rows, int cols, bool ascii, struct nh_grid *ret)
{
	size_t n = (size_t)rows * (size_t)cols;

	*ret = (struct nh_grid){
		.rows = rows, .cols = cols, .ascii = ascii, .cells = nh_new(a, struct nh_cell, n)
	};
	for (size_t i = 0; i < n; i++)
		ret->cells[i].text[0] = ' ';
}

static void set(struct nh_cell *c, unsigned style, const char *s, size_t n)
{
	memcpy(c->text, s, n);
	c->text[n] = 0;
	c->style = style;
}

/* What combines with the character before, if that has room for it. */
static void combine(const struct nh_grid *g, int row, int col, const char *s, size_t n)
{
	struct nh_cell *c;

	if (col <= 0 || g->ascii)
		return;
	c = nh_cell_at(g, row, col - 1);
	if (!c->text[0] && col > 1)
		c--;
	if (strlen(c->text) + n < sizeof(c->text))
		strncat(c->text, s, n);
}

static const char *ascii_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(likeness) / sizeof(*likeness); i++)
		if (!strncmp(s, likeness[i].utf8, n))
			return likeness[i].ascii;
	return "?";
}

int nh_grid_put(struct nh_grid *g, int row, int col, unsigned style, const char *s)
{
	size_t left = strlen(s), n;

	if (row < 0 || row >= g->rows || col < 0)
		return col;
	for (; left; s += n, left -= n) {
		int cells;
		const char *plain;

		n = nh_utf8_len(s, left);
		n = n ? n : 1;
		cells = (int)nh_cells(s, n);
		if (!cells) {
			combine(g, row, col, s, n);
			continue;
		}
		if (col + cells > g->cols)
			break;
		plain = n > 1 && g->ascii ? ascii_of(s, n) : NULL;
		set(nh_cell_at(g, row, col), style, plain ? plain : s, plain ? 1 : n);
		for (int i = 1; i < cells; i++)
			set(nh_cell_at(g, row, col + i), style, plain ? "?" : "", plain ? 1 : 0);
		col += cells;
	}
	return col;
}

void nh_grid_fill(struct nh_grid *g, int row, int col, unsigned style)
{
	for (; row >= 0 && row < g->rows && col < g->cols; col++)
		nh_cell_at(g, row, col)->style = style;
}

void nh_grid_print(FILE *f, const struct nh_grid *g)
{
	for (int row = 0; row < g->rows; row++) {
		int end = g->cols;

		while (end && !strcmp(nh_cell_at(g, row, end - 1)->text, " "))
			end--;
		for (int col = 0; col < end; col++)
			fputs(nh_cell_at(g, row, col)->text, f);
		fputc('\n', f);
	}
}
