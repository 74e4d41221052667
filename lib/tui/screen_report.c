#include <string.h>
#include "base/cleanup.h"
#include "tui/screens.h"

/* The colours of the report on a terminal, read back. */
static const struct {
	const char *sgr;
	unsigned style;
} styles[] = {
	{ "\033[1;31m", NH_TONE_BAD },
	{ "\033[33m", NH_TONE_WARN },
	{ "\033[32m", NH_TONE_GOOD },
	{ "\033[2m", NH_TONE_DIM },
	{ "\033[1m", NH_BOLD },
	{ "\033[0m", NH_TONE_PLAIN },
};

/* Takes the escape sequences out of a line; its style is the strongest word's. */
static unsigned take_style(char *line)
{
	unsigned style = NH_TONE_PLAIN;

	for (char *s = line; (s = strchr(s, '\033'));)
		for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
			size_t n = strlen(styles[i].sgr);

			if (strncmp(s, styles[i].sgr, n) != 0)
				continue;
			style = styles[i].style ? styles[i].style : style;
			memmove(s, s + n, strlen(s + n) + 1);
			break;
		}
	return style;
}

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	struct nh_report_opts opts = { .width = (int)l->width, .color = true };
	nh_auto_free char *text = NULL;
	char *save = NULL;
	size_t n = 0;
	FILE *f;

	if (!t->look)
		return;
	f = open_memstream(&text, &n);
	if (!f)
		return;
	nh_report_text(f, t->look->merged, t->look->cases, t->look->n, &opts);
	if (fclose(f))
		return;
	for (char *line = text; line && *line; line = save) {
		unsigned style;

		save = strchr(line, '\n');
		if (save)
			*save++ = 0;
		style = take_style(line);
		nh_line_add(l, style, "%s", line);
	}
}

const struct nh_screen_ops nh_screen_report = {
	.title = "Report",
	.keys = "up down Space scroll  Tab next  r refresh  s save  y copy  ? help  q quit",
	.build = build,
};
