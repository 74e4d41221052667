#include <errno.h>
#include <sysexits.h>
#include <unistd.h>
#include "collect/collect.h"
#include "emit.h"
#include "tui.h"

static void say_longer(int64_t ms)
{
	nh_warn("waiting for a dump of the flight recorder, up to %.3g s beyond the timeout",
		(double)ms / 1000);
}

int nh_cmd_inspect(const struct nh_opts *o)
{
	struct nh_collect_opts copts = {
		.pids = o->pids.v,
		.npids = o->pids.n,
		.timeout_ms = o->timeout_ms,
		.interval_ms = o->interval_ms,
		.root = o->root,
		.no_stop = o->no_stop,
		.consistent = o->consistent,
		.ras = o->ras,
		.dump = o->dump,
		.longer = o->tui ? NULL : say_longer,
		.debuginfod = o->debuginfod,
		.rerun = o->rerun,
	};
	struct nh_arena arena = { 0 };
	struct nh_output *out;
	struct nh_case *c = NULL;
	struct nh_err err;
	int status, r;

	if (o->root && access(o->root, X_OK) < 0) {
		nh_warn("--root: %s: %m", o->root);
		return EX_NOINPUT;
	}
	status = nh_emit_open(o, &out);
	if (status)
		return status;
	if (o->tui)
		return nh_tui_live(o, &copts, out);
	r = nh_collect(&arena, &copts, &c, &err);
	if (r < 0) {
		nh_warn("%s", err.msg);
		nh_output_abort(out);
		status = r == -ESRCH || r == -ENOENT ? EX_NOINPUT : EX_SOFTWARE;
	} else {
		status = nh_emit(o, out, &c, 1);
	}
	nh_arena_free(&arena);
	return status;
}
