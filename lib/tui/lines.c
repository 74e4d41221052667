#include "tui/lines.h"

#include <inttypes.h>
#include <string.h>
#include "base/str.h"
#include "report/cells.h"

#define TERM_CELLS 14

struct nh_line *nh_line_push(struct nh_lines *l, unsigned style, const char *text)
{
	struct nh_line *line = nh_push(l->a, &l->list);

	line->text = text;
	line->style = style;
	return line;
}

struct nh_line *nh_line_add(struct nh_lines *l, unsigned style, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = nh_escape(l->a, nh_arena_vprintf(l->a, fmt, ap));
	va_end(ap);
	return nh_line_push(l, style, text);
}

/* Bytes of text that go on a line of so many cells: up to a blank, if there is one. */
static size_t fit(const char *text, size_t room)
{
	size_t n = nh_cells_fit(text, room), blank = n;

	if (!text[n])
		return n;
	while (blank && text[blank] != ' ')
		blank--;
	if (blank)
		return blank;
	return n ? n : strlen(text);
}

void nh_line_flow(struct nh_lines *l, unsigned style, const char *first, const char *text)
{
	size_t margin = nh_cells(first, strlen(first));
	size_t room = l->width > margin + 10 ? l->width - margin : 10;

	text = nh_escape(l->a, text);
	do {
		size_t n = fit(text, room);

		nh_line_add(l, style, "%s%.*s", first, (int)n, text);
		text += n + (text[n] == ' ');
		first = nh_arena_printf(l->a, "%*s", (int)margin, "");
	} while (*text);
}

void nh_line_def(struct nh_lines *l, const char *term, const char *text)
{
	if (text)
		nh_line_flow(
			l, NH_TONE_PLAIN, nh_arena_printf(l->a, "  %-*s", TERM_CELLS, term), text);
}

void nh_line_def_int(struct nh_lines *l, const char *term, int64_t n)
{
	if (n != NH_UNKNOWN)
		nh_line_def(l, term, nh_arena_printf(l->a, "%" PRId64, n));
}

void nh_line_heading(struct nh_lines *l, const char *text)
{
	if (l->list.n)
		nh_line_add(l, NH_TONE_PLAIN, "%s", "");
	nh_line_add(l, NH_BOLD, "%s", text);
}
