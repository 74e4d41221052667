#include "case/unpack.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE (64 * 1024)

struct pieces {
	struct nh_tap tap;
	struct nh_sink sink;
	struct nh_err *err;
	char in[PIECE], out[PIECE];
};

static long fill(struct pieces *p)
{
	long n = p->tap.read(p->tap.ctx, p->in, sizeof(p->in));

	if (n < 0)
		nh_fail(p->err, 0, "%s", strerror((int)-n));
	return n;
}

/* Hands on what was unpacked; the sink's own error is told by its errno. */
static int drain(struct pieces *p, size_t n)
{
	int rc = n ? p->sink.write(p->sink.ctx, p->out, n) : 0;

	return rc ? nh_fail(p->err, rc, "%s", strerror(-rc)) : 0;
}

static int copy(struct pieces *p)
{
	long n;
	int rc;

	while ((n = fill(p)) > 0) {
		rc = p->sink.write(p->sink.ctx, p->in, (size_t)n);
		if (rc)
			return nh_fail(p->err, rc, "%s", strerror(-rc));
	}
	return (int)n;
}

/* Unpacks one piece of input; *ended tells whether a member's end was the last thing seen. */
static int inflate_piece(struct pieces *p, z_stream *z, long n, bool *ended)
{
	z->next_in = (Bytef *)p->in;
	z->avail_in = (uInt)n;
	do {
		int rc, zrc;

		if (*ended)
			inflateReset(z); /* another member follows */
		z->next_out = (Bytef *)p->out;
		z->avail_out = sizeof(p->out);
		zrc = inflate(z, Z_NO_FLUSH);
		if (zrc != Z_OK && zrc != Z_STREAM_END && zrc != Z_BUF_ERROR)
			return nh_fail(p->err, -EBADMSG, "damaged gzip data: %s",
				z->msg ? z->msg : "unreadable");
		*ended = zrc == Z_STREAM_END;
		rc = drain(p, sizeof(p->out) - z->avail_out);
		if (rc)
			return rc;
	} while (z->avail_in || (!z->avail_out && !*ended));
	return 0;
}

static int gunzip(struct pieces *p)
{
	z_stream z = { 0 };
	bool ended = false;
	int rc = 0;
	long n;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return nh_fail(p->err, -ENOMEM, "out of memory");
	while (!rc && (n = fill(p)) != 0)
		rc = n < 0 ? (int)n : inflate_piece(p, &z, n, &ended);
	inflateEnd(&z);
	if (!rc && !ended)
		rc = nh_fail(p->err, -EBADMSG, "the gzip data ends early");
	return rc;
}

/* Unpacks one piece of input; *left is 0 once a frame is complete. */
static int zstd_piece(struct pieces *p, ZSTD_DStream *z, long n, size_t *left)
{
	ZSTD_inBuffer in = { p->in, (size_t)n, 0 };
	ZSTD_outBuffer out;

	do {
		int rc;

		out = (ZSTD_outBuffer){ p->out, sizeof(p->out), 0 };
		*left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(*left))
			return nh_fail(p->err, -EBADMSG, "damaged zstd data: %s",
				ZSTD_getErrorName(*left));
		rc = drain(p, out.pos);
		if (rc)
			return rc;
	} while (in.pos < in.size || (out.pos == out.size && *left));
	return 0;
}

static int unzstd(struct pieces *p)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	size_t left = 1;
	int rc = 0;
	long n;

	if (!z)
		return nh_fail(p->err, -ENOMEM, "out of memory");
	while (!rc && (n = fill(p)) != 0)
		rc = n < 0 ? (int)n : zstd_piece(p, z, n, &left);
	ZSTD_freeDStream(z);
	if (!rc && left)
		rc = nh_fail(p->err, -EBADMSG, "the zstd data ends early");
	return rc;
}

int nh_unpack(struct nh_tap tap, enum nh_kind kind, struct nh_sink sink, struct nh_err *err)
{
	struct pieces p;

	p.tap = tap;
	p.sink = sink;
	p.err = err;
	if (kind == NH_KIND_GZIP)
		return gunzip(&p);
	if (kind == NH_KIND_ZSTD)
		return unzstd(&p);
	return copy(&p);
}
