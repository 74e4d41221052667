#include "case/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include "base/io.h"
#include "base/str.h"

#define PIECE (64 * 1024)

/* A way to write, chosen by the file name's suffix. */
struct packer {
	const char *suffix;
	int (*open)(struct nh_output *o);
	int (*write)(struct nh_output *o, const char *buf, size_t n);
	int (*finish)(struct nh_output *o); /* writes what is left */
	void (*close)(struct nh_output *o);
};

struct nh_output {
	int fd;
	int error;    /* the first negative errno */
	char *name;   /* as given, for messages */
	char *target; /* links resolved; NULL: written directly */
	char *tmp;
	const struct packer *packer;
	z_stream z;
	ZSTD_CStream *zstd;
	char out[PIECE];
};

static int plain_write(struct nh_output *o, const char *buf, size_t n)
{
	return nh_write_all(o->fd, buf, n);
}

static int gzip_open(struct nh_output *o)
{
	return deflateInit2(&o->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
		       Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

static int gzip_run(struct nh_output *o, const char *buf, size_t n, int flush)
{
	int rc = 0;

	o->z.next_in = (const Bytef *)buf;
	o->z.avail_in = (uInt)n;
	do {
		o->z.next_out = (Bytef *)o->out;
		o->z.avail_out = sizeof(o->out);
		deflate(&o->z, flush);
		rc = nh_write_all(o->fd, o->out, sizeof(o->out) - o->z.avail_out);
	} while (!rc && !o->z.avail_out);
	return rc;
}

static int gzip_write(struct nh_output *o, const char *buf, size_t n)
{
	int rc = 0;

	for (size_t part; n && !rc; buf += part, n -= part) { /* uInt is what zlib counts in */
		part = n < UINT32_MAX / 2 ? n : UINT32_MAX / 2;
		rc = gzip_run(o, buf, part, Z_NO_FLUSH);
	}
	return rc;
}

static int gzip_finish(struct nh_output *o)
{
	return gzip_run(o, NULL, 0, Z_FINISH);
}

static void gzip_close(struct nh_output *o)
{
	deflateEnd(&o->z);
}

static int zstd_open(struct nh_output *o)
{
	o->zstd = ZSTD_createCStream();
	if (!o->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int zstd_run(struct nh_output *o, const char *buf, size_t n, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { buf, n, 0 };
	size_t left;
	int rc;

	do {
		ZSTD_outBuffer out = { o->out, sizeof(o->out), 0 };

		left = ZSTD_compressStream2(o->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -EIO;
		rc = nh_write_all(o->fd, o->out, out.pos);
	} while (!rc && (in.pos < in.size || (end == ZSTD_e_end && left)));
	return rc;
}

static int zstd_write(struct nh_output *o, const char *buf, size_t n)
{
	return zstd_run(o, buf, n, ZSTD_e_continue);
}

static int zstd_finish(struct nh_output *o)
{
	return zstd_run(o, NULL, 0, ZSTD_e_end);
}

static void zstd_close(struct nh_output *o)
{
	ZSTD_freeCStream(o->zstd);
}

/* The last one takes every name. */
static const struct packer packers[] = {
	{ ".gz", gzip_open, gzip_write, gzip_finish, gzip_close },
	{ ".zst", zstd_open, zstd_write, zstd_finish, zstd_close },
	{ "", NULL, plain_write, NULL, NULL },
};

/* Opens what has no content to protect (a FIFO, a device, our own standard output). */
static int open_direct(struct nh_output *o)
{
	if (!strcmp(o->name, "/dev/stdout"))
		o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		o->fd = open(o->name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return o->fd < 0 ? -errno : 0;
}

/* A short name of its own: the target's may already be as long as names can be. */
static int open_tmp(struct nh_output *o)
{
	const char *slash;

	o->target = realpath(o->name, NULL); /* a link stays, what it leads to is replaced */
	if (!o->target)
		o->target = strdup(o->name);
	if (!o->target)
		return -ENOMEM;
	slash = strrchr(o->target, '/');
	if (asprintf(&o->tmp, "%.*s.ncclhang-XXXXXX", slash ? (int)(slash - o->target) + 1 : 0,
		    o->target) < 0) {
		o->tmp = NULL;
		return -ENOMEM;
	}
	o->fd = mkostemp(o->tmp, O_CLOEXEC);
	if (o->fd < 0) {
		free(o->tmp);
		o->tmp = NULL;
		return -errno;
	}
	return 0;
}

static int open_file(struct nh_output *o)
{
	struct stat st;
	int exists = !stat(o->name, &st);

	if (exists && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!strcmp(o->name, "/dev/stdout") || (exists && !S_ISREG(st.st_mode)))
		return open_direct(o);
	return open_tmp(o);
}

static const struct packer *packer_for(const char *name)
{
	const struct packer *p = packers;

	while (!nh_ends_with(name, p->suffix))
		p++;
	return p;
}

int nh_output_open(const char *path, struct nh_output **ret, struct nh_err *err)
{
	struct nh_output *o = calloc(1, sizeof(*o));
	const struct packer *packer = packer_for(path);
	int rc = -ENOMEM;

	if (o) {
		o->fd = -1;
		o->name = strdup(path);
		rc = o->name ? open_file(o) : -ENOMEM;
		if (!rc && packer->open)
			rc = packer->open(o);
		o->packer = packer;
	}
	if (rc) {
		if (o)
			o->packer = NULL;
		nh_output_abort(o);
		return nh_fail(err, rc, "cannot write %s: %s", path, strerror(-rc));
	}
	*ret = o;
	return 0;
}

static int output_write(void *ctx, const char *buf, size_t n)
{
	struct nh_output *o = ctx;

	if (!o->error)
		o->error = o->packer->write(o, buf, n);
	return o->error;
}

struct nh_sink nh_output_sink(struct nh_output *o)
{
	return (struct nh_sink){ output_write, o };
}

/* Makes the file durable and gives it its name. */
static int publish(struct nh_output *o)
{
	if (fsync(o->fd) || rename(o->tmp, o->target))
		return -errno;
	free(o->tmp);
	o->tmp = NULL;
	return 0;
}

int nh_output_commit(struct nh_output *o, struct nh_err *err)
{
	int rc = o->error;

	if (!rc && o->packer->finish)
		rc = o->packer->finish(o);
	if (!rc && o->tmp)
		rc = publish(o);
	if (rc)
		nh_fail(err, rc, "cannot write %s: %s", o->name, strerror(-rc));
	nh_output_abort(o);
	return rc;
}

void nh_output_abort(struct nh_output *o)
{
	if (!o)
		return;
	if (o->packer && o->packer->close)
		o->packer->close(o);
	if (o->fd >= 0)
		close(o->fd);
	if (o->tmp)
		unlink(o->tmp);
	free(o->tmp);
	free(o->target);
	free(o->name);
	free(o);
}
