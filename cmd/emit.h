/* The end of every command that has a verdict: formats, -o FILE, exit status. */
#ifndef NH_CMD_EMIT_H
#define NH_CMD_EMIT_H

#include "case/output.h"
#include "model/case.h"
#include "opts.h"
#include "report/report.h"

/* "ncclhang: …" on stderr, control characters escaped. */
void nh_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Begins -o FILE, before the work: a mistyped directory must not cost the evidence.  *ret = NULL
 * without -o.  0, or the exit status after saying why. */
int nh_emit_open(const struct nh_opts *o, struct nh_output **ret);

/* Whether --color, NO_COLOR and TERM want colours on standard output. */
bool nh_color_wanted(const struct nh_opts *o);

/* Cases and the one whose verdict counts: the only one, or the merged one. */
struct nh_cases {
	struct nh_case *merged;
	struct nh_case *const *cases;
	size_t n;
	/* Text and markdown of a verdict that is no report; NULL = the report. */
	void (*words)(FILE *f, const struct nh_cases *v, const struct nh_report_opts *ropts,
		void *ctx, bool markdown);
	void *ctx;
};
/* Redacts if asked to, analyses and merges the n >= 1 cases; what is new is in their arena. */
struct nh_cases nh_judge(const struct nh_opts *o, struct nh_case *const *cases, size_t n);
/* Writes them in o->file_format and commits the file, which is gone afterwards. */
int nh_emit_write(const struct nh_opts *o, const struct nh_cases *v, struct nh_output *out,
	struct nh_err *err);
/* The same for -o FILE: 0, or the exit status after saying why. */
int nh_emit_file(const struct nh_opts *o, const struct nh_cases *v, struct nh_output *out);

/*
 * Judges the cases and writes the verdict to out (which is gone afterwards) and to stdout.  Returns
 * the exit status.
 */
int nh_emit(const struct nh_opts *o, struct nh_output *out, struct nh_case *const *cases, size_t n);

/* The same for what is judged already. */
int nh_emit_judged(const struct nh_opts *o, struct nh_output *out, const struct nh_cases *v);

/* commands */
int nh_cmd_inspect(const struct nh_opts *o);
int nh_cmd_report(const struct nh_opts *o);

#endif
