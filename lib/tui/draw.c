#include <stdio.h>
#include <string.h>
#include "report/cells.h"
#include "tui/move.h"
#include "tui/screens.h"

#define ROWS_MIN 8
#define COLS_MIN 40
#define BELOW_ROWS 4  /* what stands below the list, its rule included */
#define BELOW_FROM 16 /* rows of a screen that has room for it */

const struct nh_screen_ops *const nh_screens[NH_SCREENS] = {
	[NH_SCREEN_VERDICT] = &nh_screen_verdict,
	[NH_SCREEN_REPORT] = &nh_screen_report,
	[NH_SCREEN_PROCESSES] = &nh_screen_processes,
	[NH_SCREEN_THREADS] = &nh_screen_threads,
	[NH_SCREEN_DETAIL] = &nh_screen_detail,
	[NH_SCREEN_HELP] = &nh_screen_help,
};

static void header(const struct nh_tui *t, struct nh_grid *g)
{
	const struct nh_case *c = t->look ? t->look->merged : NULL;
	enum nh_screen_id shown = t->screen < NH_SCREEN_DETAIL ? t->screen : t->below;
	int col = nh_grid_put(g, 0, 0, NH_REVERSE | NH_BOLD, " ncclhang ");
	size_t n = t->lines.list.n, end = t->at[t->screen].top + t->page;
	char at[64] = "";
	int len = 0;

	nh_grid_fill(g, 0, col, NH_REVERSE);
	for (int i = 0; i < NH_SCREEN_DETAIL; i++) {
		char tab[32];

		snprintf(tab, sizeof(tab), " %d %s ", i + 1, nh_screens[i]->title);
		col = nh_grid_put(g, 0, col, i == (int)shown ? NH_BOLD : NH_REVERSE, tab);
	}
	/* How far the list goes on; of "2026-11-29T03:12:05.123Z" what tells one look from another.
	 */
	if (n > t->page)
		len = snprintf(at, sizeof(at), "%zu%%  ", end < n ? end * 100 / n : 100);
	if (c && c->taken && strlen(c->taken) > 19 && strspn(c->taken + 11, "0123456789:") >= 8)
		len += snprintf(at + len, sizeof(at) - (size_t)len, "%.8s UTC ", c->taken + 11);
	if (col + len <= g->cols)
		nh_grid_put(g, 0, g->cols - len, NH_REVERSE, at);
}

static void footer(const struct nh_tui *t, struct nh_grid *g)
{
	int row = g->rows - 1, col;

	if (t->typing) {
		col = nh_grid_put(g, row, 0, NH_BOLD, "filter: ");
		col = nh_grid_put(g, row, col, NH_TONE_PLAIN, t->filter);
		nh_grid_put(g, row, col, NH_REVERSE, " ");
	} else if (*t->said) {
		nh_grid_put(g, row, 0, NH_BOLD, t->said);
	} else if (*t->busy) {
		nh_grid_put(g, row, 0, NH_TONE_WARN, t->busy);
	} else {
		nh_grid_put(g, row, 0, NH_TONE_DIM, nh_screens[t->screen]->keys);
	}
}

static void line(struct nh_grid *g, int row, const struct nh_line *l, bool selected)
{
	unsigned style = l->style | (selected ? NH_REVERSE : 0);
	int col = nh_grid_put(g, row, 0, style, l->text);

	if (nh_cells(l->text, strlen(l->text)) > (size_t)g->cols)
		nh_grid_put(g, row, g->cols - 1, style, "…");
	else if (selected)
		nh_grid_fill(g, row, col, style);
}

static void body(const struct nh_tui *t, struct nh_grid *g, int rows)
{
	const struct nh_line *selected = nh_selected(t);
	size_t top = t->at[t->screen].top, n = t->lines.list.n;

	for (int i = 0; i < rows && top + (size_t)i < n; i++) {
		const struct nh_line *l = &t->lines.list.v[top + (size_t)i];

		line(g, 1 + i, l, l == selected);
	}
}

static void below(const struct nh_tui *t, struct nh_grid *g, int row)
{
	struct nh_arena a = { 0 };
	struct nh_lines l = { .a = &a, .width = (size_t)g->cols };

	for (int col = 0; col < g->cols;)
		col = nh_grid_put(g, row, col, NH_TONE_DIM, "─");
	nh_screens[t->screen]->below(t, nh_selected(t), &l);
	for (int i = 1; i < BELOW_ROWS && (size_t)i <= l.list.n; i++)
		line(g, row + i, &l.list.v[i - 1], false);
	nh_arena_free(&a);
}

void nh_tui_draw(struct nh_tui *t, struct nh_grid *g)
{
	bool split = nh_screens[t->screen]->below && g->rows >= BELOW_FROM && t->look;
	int rows = g->rows - 2 - (split ? BELOW_ROWS : 0);

	if (g->rows < ROWS_MIN || g->cols < COLS_MIN) {
		char words[64];

		snprintf(words, sizeof(words), "%dx%d is too small; %dx%d at least", g->cols,
			g->rows, COLS_MIN, ROWS_MIN);
		nh_grid_put(g, 0, 0, NH_BOLD, words);
		return;
	}
	nh_fit(t, (size_t)g->cols, (size_t)rows);
	nh_fresh(t);
	header(t, g);
	body(t, g, rows);
	if (split)
		below(t, g, rows + 1);
	footer(t, g);
}
