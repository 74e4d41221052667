/* gzip and zstd streams: any bytes, in pieces whose size the first byte says, as what they seem and
 * as what they do not.  A bomb is stopped by whoever takes its bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "case/unpack.h"

#define MOST (4u << 20) /* bytes unpacked */

struct stream {
	const uint8_t *data;
	size_t size, piece;
	size_t unpacked;
};

static long give(void *ctx, char *buf, size_t n)
{
	struct stream *s = ctx;

	n = n < s->piece ? n : s->piece;
	n = n < s->size ? n : s->size;
	if (n)
		memcpy(buf, s->data, n);
	s->data += n;
	s->size -= n;
	return (long)n;
}

static int take(void *ctx, const char *buf, size_t n)
{
	struct stream *s = ctx;

	if (s->unpacked > MOST)
		abort(); /* went on after it was told to stop */
	s->unpacked += n;
	return s->unpacked > MOST ? -EFBIG : 0;
}

static void unpack(const uint8_t *data, size_t size, size_t piece, enum nh_kind kind)
{
	struct stream s = { data, size, piece, 0 };
	struct nh_err err;
	int rc;

	err.msg[0] = '\0';
	rc = nh_unpack((struct nh_tap){ give, &s }, kind, (struct nh_sink){ take, &s }, &err);
	if (rc > 0 || (rc < 0 && !err.msg[0]) || (s.unpacked > MOST && rc != -EFBIG))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size && data[0] ? data[0] * 7u : 1;

	if (!size)
		return 0;
	data++;
	size--;
	unpack(data, size, piece, nh_kind_detect((const char *)data, size));
	unpack(data, size, piece, NH_KIND_GZIP);
	unpack(data, size, piece, NH_KIND_ZSTD);
	return 0;
}
