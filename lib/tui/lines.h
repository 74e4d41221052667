/* A view is a list of lines; a line may stand for a thread, a process or a socket. */
#ifndef NH_TUI_LINES_H
#define NH_TUI_LINES_H

#include "graph/graph.h"
#include "tui/grid.h"

/* A row of one case; node.row == NULL is none. */
struct nh_ref {
	size_t host; /* index of the case */
	struct nh_node node;
};

struct nh_line {
	const char *text; /* escaped */
	unsigned style;
	struct nh_ref ref; /* a line that has one can be selected */
	bool walk;	   /* it can be selected without one */
	size_t tag;	   /* what else the view wants to know of it */
};

struct nh_lines {
	struct nh_arena *a;
	size_t width;
	NH_VEC(struct nh_line) list;
};

/* One line, cut at the edge of the screen.  Valid until the next. */
struct nh_line *nh_line_add(struct nh_lines *l, unsigned style, const char *fmt, ...)
	__attribute__((returns_nonnull, format(printf, 3, 4)));
/* The same of a text that is escaped already and lives as long. */
struct nh_line *nh_line_push(struct nh_lines *l, unsigned style, const char *text)
	__attribute__((returns_nonnull));
/* Text wrapped at blanks: behind `first`, further lines behind as many blanks. */
void nh_line_flow(struct nh_lines *l, unsigned style, const char *first, const char *text);
/* A term and its meaning; nothing where the meaning is NULL. */
void nh_line_def(struct nh_lines *l, const char *term, const char *text);
void nh_line_def_int(struct nh_lines *l, const char *term, int64_t n);
void nh_line_heading(struct nh_lines *l, const char *text);

#endif
