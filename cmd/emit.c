#include "emit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sysexits.h>
#include <unistd.h>
#include "analyse/analyse.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "case/codec.h"
#include "case/redact.h"
#include "report/report.h"

void nh_warn(const char *fmt, ...)
{
	struct nh_arena a = { 0 };
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "ncclhang: %s\n", nh_escape(&a, nh_arena_vprintf(&a, fmt, ap)));
	va_end(ap);
	nh_arena_free(&a);
}

/* The merged header for a program that reads one line, then each case whole. */
static int write_json(const struct nh_cases *v, struct nh_sink sink)
{
	struct nh_writer w = { .sink = sink, .id = v->merged->id };
	int r = 0;

	if (v->n > 1) {
		r = nh_write_header(&w, v->merged);
		r = r < 0 ? r : nh_write_end(&w);
	}
	for (size_t i = 0; i < v->n && r >= 0; i++)
		r = nh_case_write(v->cases[i], sink);
	return r;
}

static int write_view(const struct nh_cases *v, enum nh_format format,
	const struct nh_report_opts *ropts, struct nh_sink sink)
{
	nh_auto_free char *buf = NULL;
	size_t len = 0;
	FILE *f;

	if (format == NH_FMT_JSON)
		return write_json(v, sink);
	f = open_memstream(&buf, &len);
	if (!f)
		return -errno;
	if (format == NH_FMT_BRIEF)
		nh_report_brief(f, v->merged, ropts);
	else if (v->words && format != NH_FMT_DOT)
		v->words(f, v, ropts, v->ctx, format == NH_FMT_MARKDOWN);
	else if (format == NH_FMT_MARKDOWN)
		nh_report_markdown(f, v->merged, v->cases, v->n, ropts);
	else if (format == NH_FMT_DOT)
		nh_report_dot(f, v->merged, v->cases, v->n, ropts);
	else
		nh_report_text(f, v->merged, v->cases, v->n, ropts);
	if (fclose(f))
		return -errno;
	return sink.write(sink.ctx, buf, len);
}

static int write_stdout(void *ctx, const char *buf, size_t n)
{
	return fwrite(buf, 1, n, stdout) == n ? 0 : -errno;
}

bool nh_color_wanted(const struct nh_opts *o)
{
	const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");

	return o->color == NH_COLOR_ALWAYS ||
	       (o->color == NH_COLOR_AUTO && isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		       name && strcmp(name, "dumb") != 0);
}

static struct nh_report_opts report_opts(const struct nh_opts *o, bool terminal)
{
	struct nh_report_opts r = { .width = 80, .verbose = o->verbose, .all = o->all };
	struct winsize ws;

	if (!terminal)
		return r;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		r.width = ws.ws_col;
	r.color = nh_color_wanted(o);
	return r;
}

int nh_emit_open(const struct nh_opts *o, struct nh_output **ret)
{
	struct nh_err err;

	*ret = NULL;
	if (!o->output || nh_output_open(o->output, ret, &err) >= 0)
		return 0;
	nh_warn("%s", err.msg);
	return EX_IOERR;
}

int nh_emit_write(const struct nh_opts *o, const struct nh_cases *v, struct nh_output *out,
	struct nh_err *err)
{
	struct nh_report_opts ropts = report_opts(o, false);
	int r = write_view(v, o->file_format, &ropts, nh_output_sink(out));

	if (r >= 0)
		return nh_output_commit(out, err);
	nh_output_abort(out);
	return nh_fail(err, r, "%s: %s", o->output, strerror(-r));
}

int nh_emit_file(const struct nh_opts *o, const struct nh_cases *v, struct nh_output *out)
{
	struct nh_err err;

	if (nh_emit_write(o, v, out, &err) >= 0)
		return 0;
	nh_warn("%s", err.msg);
	return EX_IOERR;
}

static int emit_stdout(const struct nh_cases *v, const struct nh_opts *o)
{
	struct nh_report_opts ropts = report_opts(o, true);
	int r = write_view(v, o->format, &ropts, (struct nh_sink){ .write = write_stdout });

	if (r >= 0)
		return 0;
	nh_warn("cannot write %s: %s", ferror(stdout) ? "to standard output" : "the report",
		strerror(-r));
	/* Said once: main would meet the same error when it closes the stream. */
	__fpurge(stdout);
	clearerr(stdout);
	return EX_IOERR;
}

struct nh_cases nh_judge(const struct nh_opts *o, struct nh_case *const *cases, size_t n)
{
	struct nh_cases v = { .merged = cases[0], .cases = cases, .n = n };

	for (size_t i = 0; i < n; i++) {
		if (o->redact) /* first, so that analysis writes its sentences with the new names */
			nh_case_redact(cases[i]);
		nh_analyse(cases[i]);
	}
	if (n > 1) {
		v.merged = nh_new(cases[0]->arena, struct nh_case, 1);
		nh_merge(cases, n, cases[0]->arena, v.merged);
	}
	return v;
}

int nh_emit(const struct nh_opts *o, struct nh_output *out, struct nh_case *const *cases, size_t n)
{
	struct nh_cases v = nh_judge(o, cases, n);

	return nh_emit_judged(o, out, &v);
}

int nh_emit_judged(const struct nh_opts *o, struct nh_output *out, const struct nh_cases *v)
{
	int status = 0;

	/* The file comes first: closing the pager early must not cost it. */
	if (out)
		status = nh_emit_file(o, v, out);
	if (!out || o->format == NH_FMT_AUTO) {
		int r = emit_stdout(v, o);

		status = status ? status : r;
	}
	return status ? status : nh_verdict_exit(&v->merged->verdict);
}
