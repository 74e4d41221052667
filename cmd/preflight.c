#include "preflight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "emit.h"
#include "preflight/preflight.h"

/* One number alone is a PID, everything else a command. */
static int64_t pid_of(const struct nh_opts *o)
{
	const char *s = o->noperands == 1 ? o->operands[0] : "";
	long n = strspn(s, "0123456789") == strlen(s) ? strtol(s, NULL, 10) : 0;

	return n > 0 && n <= INT32_MAX ? n : NH_UNKNOWN;
}

static void write_doc(FILE *f, const struct nh_cases *v, const struct nh_report_opts *ropts,
	void *ctx, bool markdown)
{
	const struct nh_preflight *p = ctx;
	struct nh_doc d = { .arena = p->a };

	nh_preflight_words(p, &d);
	if (markdown)
		nh_doc_markdown(f, &d, ropts);
	else
		nh_doc_text(f, &d, ropts);
}

int nh_cmd_preflight(const struct nh_opts *o)
{
	struct nh_arena a = { 0 };
	struct nh_case c, *cases[] = { &c };
	struct nh_cases v = { .merged = &c, .cases = cases, .n = 1, .words = write_doc };
	struct nh_preflight p;
	struct nh_output *out;
	struct nh_err err;
	int64_t pid = pid_of(o);
	int status, r;

	if (o->format == NH_FMT_DOT || (o->output && o->file_format == NH_FMT_DOT)) {
		nh_warn("preflight: nothing waits here, so there is no graph to draw");
		return EX_USAGE;
	}
	status = nh_emit_open(o, &out);
	if (status)
		return status;
	r = nh_preflight(&a, pid, pid == NH_UNKNOWN ? o->operands : o->operands + 1, &p, &err);
	if (r < 0) {
		nh_warn("%s", err.msg);
		nh_output_abort(out);
		status = r == -ESRCH ? EX_NOINPUT : EX_SOFTWARE;
	} else {
		if (pid == NH_UNKNOWN && o->noperands)
			nh_warn("'%s' is not started: its environment is checked", o->operands[0]);
		nh_preflight_case(&p, &c);
		v.ctx = &p;
		status = nh_emit_judged(o, out, &v);
	}
	nh_arena_free(&a);
	return status;
}
