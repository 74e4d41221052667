#include "tui/screens.h"

static const struct {
	const char *keys, *what;
} help[] = {
	{ "1 2 3 4 Tab", "the verdict with its chain, the whole report, processes, threads" },
	{ "up down k j", "walk the chain, select a row, scroll" },
	{ "PgUp PgDn Space", "by pages; g and G: to the beginning and the end" },
	{ "left right", "the verdict: the finding before, the next one" },
	{ "Enter", "everything that was read of the selected thread, process or socket" },
	{ "Esc Backspace", "back" },
	{ "/", "threads: show those with the typed text only; Esc ends it" },
	{ "o", "threads: order by number, CPU time, wait, change" },
	{ "f", "threads: fold those with the same stack into one row" },
	{ "h", "threads: hide sleepers that no chain runs through and that wait for nobody seen" },
	{ "r", "take a new look at the processes and mark what moved" },
	{ "s", "save the case to a file named after host and time" },
	{ "y", "write the text of this screen to a file" },
	{ "Ctrl-Z", "suspend; fg comes back" },
	{ "q", "quit" },
};

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	nh_line_heading(l, "Keys");
	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++)
		nh_line_flow(l, NH_TONE_PLAIN, nh_arena_printf(l->a, "  %-16s ", help[i].keys),
			help[i].what);
	nh_line_heading(l, "Marks in front of a thread");
	nh_line_flow(l, NH_TONE_PLAIN, "  *  ", "a finding's chain runs through it");
	nh_line_flow(l, NH_TONE_PLAIN, "  !  ",
		"waits in something else than in the sample or look before");
	nh_line_flow(l, NH_TONE_PLAIN, "  ~  ", "has run since, and waits in the same again");
	nh_line_flow(l, NH_TONE_PLAIN, "  +  ", "was not there");
}

const struct nh_screen_ops nh_screen_help = {
	.title = "Help",
	.keys = "Esc back  q quit",
	.build = build,
};
