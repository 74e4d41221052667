#include "case/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "case/unpack.h"
#include "evidence/log.h"

#define HEAD 65536		 /* looked at to tell what a file is */
#define UNPACKED_MAX (4LL << 30) /* bytes; a bomb is refused */
#define WHOLE_MAX (512u << 20)	 /* bytes of a file that is read as a whole */

/* One file on its way into an intake. */
struct file {
	struct nh_intake *in;
	const char *name;
	int fd;
	size_t head_n, head_read; /* of head: filled, and handed on */
	size_t first_n;		  /* of first: filled */
	enum nh_kind kind;	  /* of what it unpacks to */
	char *whole;		  /* all of it, where the kind needs that */
	size_t whole_n, whole_cap;
	bool known;	 /* first was judged and handed on */
	const char *why; /* it was refused, NULL = it was not */
	long long bytes;
	char head[HEAD];  /* the beginning of the file, read before its kind was known */
	char first[HEAD]; /* the beginning of what it unpacks to */
};

static long read_some(int fd, char *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static long tap_read(void *ctx, char *buf, size_t n)
{
	struct file *f = ctx;
	size_t left = f->head_n - f->head_read;

	if (!left)
		return read_some(f->fd, buf, n);
	if (n > left)
		n = left;
	memcpy(buf, f->head + f->head_read, n);
	f->head_read += n;
	return (long)n;
}

static int keep_whole(struct file *f, const char *buf, size_t n)
{
	size_t cap = f->whole_cap ? f->whole_cap : 2 * (size_t)HEAD;
	char *grown;

	if (n > WHOLE_MAX - f->whole_n) {
		f->why = "larger than 512 MiB";
		return -EFBIG;
	}
	while (cap < f->whole_n + n)
		cap *= 2;
	grown = cap > f->whole_cap ? realloc(f->whole, cap) : f->whole;
	if (!grown)
		return -ENOMEM;
	f->whole = grown;
	f->whole_cap = cap;
	memcpy(f->whole + f->whole_n, buf, n);
	f->whole_n += n;
	return 0;
}

/* A case is read as it comes, evidence at its end. */
static int hand_on(struct file *f, const char *buf, size_t n)
{
	if (f->kind == NH_KIND_FLIGHT)
		return keep_whole(f, buf, n);
	if (f->kind == NH_KIND_LOG) {
		nh_intake_log_feed(f->in, buf, n);
		return 0;
	}
	nh_intake_feed(f->in, f->name, buf, n);
	return 0;
}

static const char *refusal(enum nh_kind kind)
{
	switch (kind) {
	case NH_KIND_EMPTY:
		return "nothing in it";
	case NH_KIND_CHECKPOINT:
		return "a packed checkpoint, which can only be read in place: unpack it into a file "
		       "first (gzip -d, zstd -d)";
	case NH_KIND_GZIP:
	case NH_KIND_ZSTD:
		return "packed twice: unpack it once first (gzip -d, zstd -d)";
	default:
		return "not a case (no line with {\"case\":...}), no dump and no log";
	}
}

/* Judges the beginning: nothing of an unknown kind goes into the intake. */
static int judge(struct file *f)
{
	f->kind = nh_kind_detect(f->first, f->first_n);
	f->known = true;
	/* What torchrun set up as a log is one even if it is empty: its rank said nothing. */
	if ((f->kind == NH_KIND_UNKNOWN || f->kind == NH_KIND_EMPTY) && nh_log_in_tree(f->name))
		f->kind = NH_KIND_LOG;
	if (f->kind == NH_KIND_LOG)
		return nh_intake_log_begin(f->in, f->name, f->first, f->first_n);
	if (f->kind != NH_KIND_CASE && f->kind != NH_KIND_FLIGHT) {
		f->why = refusal(f->kind);
		return f->kind == NH_KIND_EMPTY ? -ENODATA : -EINVAL;
	}
	return hand_on(f, f->first, f->first_n);
}

static int take(void *ctx, const char *buf, size_t n)
{
	struct file *f = ctx;

	f->bytes += (long long)n;
	if (f->bytes > UNPACKED_MAX) {
		f->why = "unpacks to more than 4 GiB";
		return -EFBIG;
	}
	if (!f->known) {
		size_t more = n < HEAD - f->first_n ? n : HEAD - f->first_n;
		int rc;

		memcpy(f->first + f->first_n, buf, more);
		f->first_n += more;
		buf += more;
		n -= more;
		rc = f->first_n == HEAD ? judge(f) : 0;
		if (rc)
			return rc;
	}
	return n ? hand_on(f, buf, n) : 0;
}

static int read_head(struct file *f)
{
	long got = 1;

	while (f->head_n < HEAD && got > 0) {
		got = read_some(f->fd, f->head + f->head_n, HEAD - f->head_n);
		if (got > 0)
			f->head_n += (size_t)got;
	}
	return got < 0 ? (int)got : 0;
}

static int read_file(struct file *f, struct nh_err *err)
{
	struct nh_err inner;
	int rc = read_head(f), late;

	if (rc)
		return nh_fail(err, rc, "%s: %s", f->name, strerror(-rc));
	if (nh_kind_detect(f->head, f->head_n) == NH_KIND_CHECKPOINT &&
		lseek(f->fd, 0, SEEK_CUR) < 0)
		return nh_fail(err, -ESPIPE,
			"%s: a checkpoint that comes through a pipe, but can only be read in place: write "
			"it to a file first and give that",
			f->name);
	if (nh_kind_detect(f->head, f->head_n) == NH_KIND_CHECKPOINT)
		return nh_intake_checkpoint(f->in, f->name, f->fd, err);
	rc = nh_unpack((struct nh_tap){ tap_read, f }, nh_kind_detect(f->head, f->head_n),
		(struct nh_sink){ take, f }, &inner);
	late = f->known || (rc && !f->first_n) ? 0 : judge(f); /* it was shorter than HEAD */
	nh_intake_end_source(f->in, f->name);
	if (f->known && f->kind == NH_KIND_LOG && late != -ENOMEM)
		nh_intake_log_end(f->in);
	if (!rc)
		rc = late;
	if (!rc && f->kind == NH_KIND_FLIGHT)
		return nh_intake_evidence(f->in, f->kind, f->name, f->whole, f->whole_n, err);
	return rc ? nh_fail(err, rc, "%s: %s", f->name,
			    f->why && rc != -EBADMSG ? f->why : inner.msg)
		  : 0;
}

int nh_intake_file(struct nh_intake *in, const char *path, struct nh_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	nh_auto_close int fd = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	nh_auto_free struct file *f = NULL;
	struct stat st;
	int rc;

	if (!is_stdin && fd < 0)
		return nh_fail(err, -errno, "%s: %s", path, strerror(errno));
	if (!fstat(is_stdin ? 0 : fd, &st) && S_ISDIR(st.st_mode))
		return nh_fail(err, -EISDIR, "%s: %s", path, strerror(EISDIR));
	f = calloc(1, sizeof(*f));
	if (!f)
		return nh_fail(err, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	f->in = in;
	f->name = is_stdin ? "standard input" : path;
	f->fd = is_stdin ? 0 : fd;
	rc = read_file(f, err);
	free(f->whole);
	return rc;
}
