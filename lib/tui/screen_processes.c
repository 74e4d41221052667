#include <inttypes.h>
#include <string.h>
#include "rules/rule.h"
#include "tui/screens.h"

static unsigned style_of(const struct nh_process_row *row)
{
	if (!strcmp(row->role, "culprit"))
		return NH_BOLD | NH_TONE_BAD;
	return !strcmp(row->role, "waits")	? NH_TONE_WARN
	       : !strcmp(row->role, "ancestor") ? NH_TONE_DIM
						: NH_TONE_PLAIN;
}

static const char *number(struct nh_lines *l, int64_t n)
{
	return n == NH_UNKNOWN ? "" : nh_arena_printf(l->a, "%" PRId64, n);
}

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	size_t host = SIZE_MAX;

	if (!t->look)
		return;
	nh_line_add(l, NH_TONE_DIM, "     pid rank S threads  fds  role        process");
	nh_for(row, &t->look->processes) {
		const struct nh_process *p = row->p;
		int indent = row->depth < 12 ? row->depth : 12;

		if (row->ref.host != host && t->look->n > 1) {
			const char *name = t->look->cases[row->ref.host]->host;

			nh_line_add(l, NH_BOLD, "%s", name ? name : "unknown host");
		}
		host = row->ref.host;
		nh_line_add(l, style_of(row), "%8" PRId64 " %4s %s %7s %4s  %-10s  %*s%s%s  %s",
			p->pid, number(l, nh_rank_of(p)), p->state ? p->state : "?",
			number(l, p->nthreads), number(l, p->nfds), row->role, indent * 2, "",
			row->depth ? "└ " : "", p->comm ? p->comm : "?",
			p->cmdline ? p->cmdline : "")
			->ref = row->ref;
	}
}

const struct nh_screen_ops nh_screen_processes = {
	.title = "Processes",
	.keys = "up down select  Enter detail  Tab next  r refresh  s save  ? help  q quit",
	.build = build,
};
