#include "case/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "case/unpack.h"

#define HEAD 65536		 /* looked at to tell what a file is */
#define UNPACKED_MAX (4LL << 30) /* bytes; a bomb is refused */

/* One file on its way into an intake. */
struct file {
	struct nh_intake *in;
	const char *name;
	int fd;
	size_t head_n, head_read; /* of head: filled, and handed on */
	size_t first_n;		  /* of first: filled */
	bool known;		  /* first was judged and handed on */
	const char *why;	  /* it was refused, NULL = it was not */
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

/* Judges the beginning: nothing but a case goes into the intake. */
static int judge(struct file *f)
{
	enum nh_kind kind = nh_kind_detect(f->first, f->first_n);

	f->known = true;
	if (kind != NH_KIND_CASE) {
		f->why = kind == NH_KIND_EMPTY ? "nothing in it"
					       : "not a case: no line with {\"case\":...}";
		return kind == NH_KIND_EMPTY ? -ENODATA : -EINVAL;
	}
	nh_intake_feed(f->in, f->name, f->first, f->first_n);
	return 0;
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
	if (n)
		nh_intake_feed(f->in, f->name, buf, n);
	return 0;
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
	rc = nh_unpack((struct nh_tap){ tap_read, f }, nh_kind_detect(f->head, f->head_n),
		(struct nh_sink){ take, f }, &inner);
	late = f->known || (rc && !f->first_n) ? 0 : judge(f); /* it was shorter than HEAD */
	nh_intake_end_source(f->in, f->name);
	if (!rc)
		rc = late;
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
	return read_file(f, err);
}
