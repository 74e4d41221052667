/* Files a report or a case is written to: created 0600 beside the target and renamed over it. */
#ifndef NH_CASE_OUTPUT_H
#define NH_CASE_OUTPUT_H

#include "base/err.h"
#include "case/codec.h"

struct nh_output;

/*
 * Begins FILE.  Compression follows its suffix (.gz, .zst).  Nothing appears under that name until
 * nh_output_commit succeeds; an existing regular file keeps its content until then.  A FIFO, a
 * character device or /dev/stdout is written to directly.  0 or a negative errno with err set.
 */
int nh_output_open(const char *path, struct nh_output **ret, struct nh_err *err);
/* A sink that writes into it. */
struct nh_sink nh_output_sink(struct nh_output *o);
/* Flushes, fsyncs, renames and frees; or, on any error (an earlier write's included), removes the
 * temporary file, sets err and returns the negative errno.  o is gone either way. */
int nh_output_commit(struct nh_output *o, struct nh_err *err);
/* Removes the temporary file and frees o; NULL is allowed. */
void nh_output_abort(struct nh_output *o);

#endif
