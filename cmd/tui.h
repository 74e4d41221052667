/* -i: the screens on a terminal, over live processes or saved cases. */
#ifndef NH_CMD_TUI_H
#define NH_CMD_TUI_H

#include "collect/collect.h"
#include "emit.h"

/* Each returns the exit status: that of the verdict that was shown last.  out (-o FILE, NULL
 * without) gets that case at the end and is gone. */
int nh_tui_live(
	const struct nh_opts *o, const struct nh_collect_opts *copts, struct nh_output *out);
int nh_tui_saved(
	const struct nh_opts *o, struct nh_case *const *cases, size_t n, struct nh_output *out);

#endif
