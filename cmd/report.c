#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include "case/intake.h"
#include "emit.h"
#include "know/checkpoint.h"
#include "tui.h"

/* How the paths fared. */
struct tally {
	size_t seen;	/* files that were there */
	size_t missing; /* paths that were not */
};

static void take(struct nh_intake *in, const char *path, struct tally *t)
{
	struct nh_err err;

	t->seen++;
	if (nh_intake_file(in, path, &err) < 0)
		nh_warn("%s", err.msg);
}

/* True if the directory is one piece of evidence, so that its files need no look of their own. */
static bool take_dir(struct nh_intake *in, const char *path, struct tally *t)
{
	struct nh_err err;
	int rc = nh_intake_dir(in, path, &err);

	t->seen += rc <= 0;
	if (rc < 0)
		nh_warn("%s", err.msg);
	return rc <= 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Whether an entry below a searched directory is to be read: a FIFO there could block for ever. */
static bool is_plain(const FTSENT *e)
{
	struct stat st;

	return e->fts_info == FTS_F ||
	       (e->fts_info == FTS_SL && !stat(e->fts_accpath, &st) && S_ISREG(st.st_mode));
}

static void visit(FTS *fts, FTSENT *e, struct nh_intake *in, struct tally *t)
{
	bool named = e->fts_level == FTS_ROOTLEVEL;

	if (!named && e->fts_name[0] == '.') {
		fts_set(fts, e, FTS_SKIP);
		return;
	}
	switch (e->fts_info) {
	case FTS_D:
		if (take_dir(in, e->fts_path, t))
			fts_set(fts, e, FTS_SKIP);
		return;
	case FTS_DP:
		return;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
	case FTS_DC:
		nh_warn("%s: %s", e->fts_path,
			e->fts_info == FTS_DC ? "a directory within itself"
					      : strerror(e->fts_errno));
		t->missing += named && e->fts_errno == ENOENT;
		return;
	default:
		if (named || (is_plain(e) && !nh_ckpt_is_marker(e->fts_name)))
			take(in, e->fts_path, t);
	}
}

/* A file, or what a directory holds, in the order of its names; links to directories are not
 * followed. */
static void search(char *path, struct nh_intake *in, struct tally *t)
{
	char *const paths[] = { path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	FTSENT *e;

	if (!fts) {
		nh_warn("%s: %s", path, strerror(errno));
		return;
	}
	while ((e = fts_read(fts)))
		visit(fts, e, in, t);
	fts_close(fts);
}

static int nothing_usable(const struct tally *t)
{
	if (t->missing && !t->seen)
		return EX_NOINPUT;
	nh_warn(t->seen ? "inconclusive: nothing in the files given is a case that could be read"
			: "inconclusive: there is no file to read in what was given");
	return 2;
}

/* The cases to report on.  An earlier report's merged header has no table: its cases follow it. */
static size_t usable(struct nh_arena *a, struct nh_intake *in, struct nh_case ***ret)
{
	size_t all = nh_intake_count(in), n = 0;

	*ret = nh_new(a, struct nh_case *, all);
	for (size_t i = 0; i < all; i++) {
		struct nh_case *c = nh_intake_case(in, i);

		if (c->samples.n || c->rank_groups.n || c->log_files.n || c->checkpoints.n ||
			c->checks.n || !nh_intake_complete(in, i))
			(*ret)[n++] = c;
	}
	return n;
}

int nh_cmd_report(const struct nh_opts *o)
{
	struct nh_arena arena = { 0 };
	struct nh_intake *in = nh_intake_new(&arena);
	struct tally t = { 0 };
	struct nh_output *out;
	struct nh_case **cases;
	const char *msg;
	size_t n;
	int status = nh_emit_open(o, &out);

	for (int i = 0; !status && i < o->noperands; i++) {
		if (strcmp(o->operands[i], "-") == 0)
			take(in, "-", &t);
		else
			search(o->operands[i], in, &t);
	}
	nh_intake_finish(in);
	for (size_t i = 0; (msg = nh_intake_error(in, i)); i++)
		nh_warn("%s", msg);
	n = usable(&arena, in, &cases);
	if (!status && n) {
		status = o->tui ? nh_tui_saved(o, cases, n, out) : nh_emit(o, out, cases, n);
	} else if (!status) {
		nh_output_abort(out);
		status = nothing_usable(&t);
	}
	nh_arena_free(&arena);
	return status;
}
