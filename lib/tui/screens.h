/* What each screen gives to the common frame of keys, scrolling and drawing. */
#ifndef NH_TUI_SCREENS_H
#define NH_TUI_SCREENS_H

#include "tui/tui.h"

struct nh_screen_ops {
	const char *title, *keys; /* keys: what the footer reminds of */
	/* All lines, at lines->width; t->look may be NULL. */
	void (*build)(const struct nh_tui *t, struct nh_lines *lines);
	/* What stands below about the selected line; NULL where nothing does. */
	void (*below)(const struct nh_tui *t, const struct nh_line *selected, struct nh_lines *l);
};

extern const struct nh_screen_ops nh_screen_verdict, nh_screen_report, nh_screen_processes,
	nh_screen_threads, nh_screen_detail, nh_screen_help;
/* By enum nh_screen_id. */
extern const struct nh_screen_ops *const nh_screens[NH_SCREENS];

/* The thread's row of a look; NULL where it has none. */
const struct nh_thread_row *nh_thread_row_of(const struct nh_look *look, const struct nh_thread *t);

#endif
