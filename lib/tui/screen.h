/* The terminal: the only place that knows curses.  There is one at a time. */
#ifndef NH_TUI_SCREEN_H
#define NH_TUI_SCREEN_H

#include "base/err.h"
#include "tui/tui.h"

/*
 * Takes over the terminal on standard output; keys come from /dev/tty where standard input is none.
 * color: whether it may use colours.  Whatever ends the program, the terminal is restored: by
 * nh_screen_close, or by a handler of the signals that crashes raise.  0 or a negative errno.
 */
int nh_screen_open(bool color, struct nh_err *err);
void nh_screen_close(void);
/* Its present size, and whether it shows ASCII only. */
void nh_screen_size(int *rows, int *cols, bool *ascii);
void nh_screen_show(const struct nh_grid *g);
/* The next key, NH_KEY_NONE if none is waiting. */
int nh_screen_key(void);
/* The descriptor that is readable when a key is waiting. */
int nh_screen_fd(void);
/* The signal that asked the program to end, 0 if none did. */
int nh_screen_signal(void);

#endif
