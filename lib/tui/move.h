/* Selecting and scrolling, the same on every screen. */
#ifndef NH_TUI_MOVE_H
#define NH_TUI_MOVE_H

#include "tui/tui.h"

/* The selected line; NULL where none can be. */
const struct nh_line *nh_selected(const struct nh_tui *t);
/* Back to the first line; the lines are made anew. */
void nh_rewind(struct nh_tui *t);
/* The room that the next drawing has. */
void nh_fit(struct nh_tui *t, size_t width, size_t page);
/* Makes the screen's lines if they are stale; selection and top are valid then. */
void nh_fresh(struct nh_tui *t);
/* Arrows, pages, home, end and their letters; false for any other key. */
bool nh_move(struct nh_tui *t, int key);

#endif
