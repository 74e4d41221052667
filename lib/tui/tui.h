/*
 * The screens: a state, what a key makes of it, and how it is drawn.  Nothing here knows a terminal
 * or touches a process, so that everything is tested by key scripts.
 */
#ifndef NH_TUI_TUI_H
#define NH_TUI_TUI_H

#include "tui/look.h"

/* Other keys are their character. */
enum nh_key {
	NH_KEY_NONE = 0,
	NH_KEY_TAB = '\t',
	NH_KEY_ENTER = '\n',
	NH_KEY_ESC = 27,
	NH_KEY_BACKSPACE = 127,
	NH_KEY_UP = 0x1000,
	NH_KEY_DOWN,
	NH_KEY_LEFT,
	NH_KEY_RIGHT,
	NH_KEY_PAGE_UP,
	NH_KEY_PAGE_DOWN,
	NH_KEY_HOME,
	NH_KEY_END,
	NH_KEY_RESIZE,
};

/* What a key asks of whoever owns terminal and processes. */
enum nh_wish {
	NH_WISH_NONE,
	NH_WISH_QUIT,
	NH_WISH_REFRESH, /* a new look: hand it over with nh_tui_show */
	NH_WISH_SAVE,	 /* the case to a file */
	NH_WISH_COPY,	 /* the text of the screen to a file */
};

enum nh_screen_id {
	NH_SCREEN_VERDICT,
	NH_SCREEN_REPORT,
	NH_SCREEN_PROCESSES,
	NH_SCREEN_THREADS,
	NH_SCREEN_DETAIL,
	NH_SCREEN_HELP,
	NH_SCREENS,
};

enum nh_sort {
	NH_SORT_TID,
	NH_SORT_CPU,
	NH_SORT_WAIT,
	NH_SORT_MARK,
	NH_SORTS,
};

enum { NH_TRAIL = 16 };

struct nh_tui {
	const struct nh_look *look;	 /* NULL until the first has come */
	bool live;			 /* a new look can be taken */
	enum nh_screen_id screen, below; /* below: what detail and help return to */
	struct {
		size_t selected, top; /* line numbers */
	} at[NH_SCREENS];
	size_t finding;		       /* the selected one */
	struct nh_ref trail[NH_TRAIL]; /* details opened out of each other, the shown one last */
	size_t ntrail;
	enum nh_sort sort;
	bool fold, hide_idle;
	bool typing; /* into the filter */
	char filter[40];
	char said[200]; /* a message, until the next key */
	char busy[80];	/* progress of what is being collected; "" = nothing is */
	/* The present screen's lines, made when they are needed. */
	struct nh_arena arena;
	struct nh_lines lines;
	bool stale;
	size_t width, page; /* cells and lines that the last drawing had room for */
};

/* *t is zeroed by the caller. */
void nh_tui_init(struct nh_tui *t, bool live);
void nh_tui_free(struct nh_tui *t);
/* A new look; it must live until the next one is shown. */
void nh_tui_show(struct nh_tui *t, const struct nh_look *look);
void nh_tui_say(struct nh_tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Progress, "" = none. */
void nh_tui_busy(struct nh_tui *t, const char *words);
enum nh_wish nh_tui_key(struct nh_tui *t, int key);
/* Draws to the whole grid, whatever its size. */
void nh_tui_draw(struct nh_tui *t, struct nh_grid *g);

#endif
