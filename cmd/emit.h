/* The end of every command that has a verdict: formats, -o FILE, exit status. */
#ifndef NH_CMD_EMIT_H
#define NH_CMD_EMIT_H

#include "case/output.h"
#include "model/case.h"
#include "opts.h"

/* "ncclhang: …" on stderr, control characters escaped. */
void nh_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Begins -o FILE, before the work: a mistyped directory must not cost the evidence.  *ret = NULL
 * without -o.  0, or the exit status after saying why. */
int nh_emit_open(const struct nh_opts *o, struct nh_output **ret);

/*
 * Redacts if asked to, analyses and merges the n >= 1 cases, writes the verdict to out (which is
 * gone afterwards) and to stdout.  Returns the exit status.
 */
int nh_emit(const struct nh_opts *o, struct nh_output *out, struct nh_case *const *cases, size_t n);

/* commands */
int nh_cmd_inspect(const struct nh_opts *o);
int nh_cmd_report(const struct nh_opts *o);

#endif
