/* A rectangle of terminal cells: what the views draw to, the screen shows and the tests compare. */
#ifndef NH_TUI_GRID_H
#define NH_TUI_GRID_H

#include <stdbool.h>
#include <stdio.h>
#include "report/doc.h"

/* A style is an enum nh_tone and these. */
enum {
	NH_BOLD = 16,
	NH_REVERSE = 32,
};
#define NH_TONE_OF(style) ((enum nh_tone)((style)&15))

struct nh_cell {
	char text[16]; /* a character and what combines with it; "" = the right half of a wide one
			*/
	unsigned style;
};

struct nh_grid {
	int rows, cols;
	bool ascii; /* the terminal shows nothing else: other characters become a likeness or '?' */
	struct nh_cell *cells;
};

/* Blank, in the arena.  Neither rows nor cols may be negative. */
void nh_grid_init(struct nh_arena *a, int rows, int cols, bool ascii, struct nh_grid *ret);
/* Puts s (escaped, valid UTF-8) there; what does not fit to the right is lost.  Returns the column
 * behind it. */
int nh_grid_put(struct nh_grid *g, int row, int col, unsigned style, const char *s);
/* Gives the rest of the row from there a style. */
void nh_grid_fill(struct nh_grid *g, int row, int col, unsigned style);
/* The rows as text, without the blanks at their ends. */
void nh_grid_print(FILE *f, const struct nh_grid *g);

static inline struct nh_cell *nh_cell_at(const struct nh_grid *g, int row, int col)
{
	return &g->cells[(size_t)row * (size_t)g->cols + (size_t)col];
}

#endif
