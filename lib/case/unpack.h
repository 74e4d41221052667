/* gzip and zstd streams, unpacked piece by piece. */
#ifndef NH_CASE_UNPACK_H
#define NH_CASE_UNPACK_H

#include "base/err.h"
#include "case/codec.h"
#include "case/intake.h"

/*
 * Where packed bytes come from: up to n bytes into buf, 0 at the end, or a negative errno.
 */
struct nh_tap {
	long (*read)(void *ctx, char *buf, size_t n);
	void *ctx;
};

/* Copies what the tap gives into the sink, unpacked if kind is a compression.  0 or a negative
 * errno, -EBADMSG for damaged data; err (always set then) has the reason, without a file name. */
int nh_unpack(struct nh_tap tap, enum nh_kind kind, struct nh_sink sink, struct nh_err *err);

#endif
