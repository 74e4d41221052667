/*
 * Zip archives as torch.save writes them: the central directory and single members, read where they
 * lie, so that the size of the archive does not matter.  Stored and deflated members, zip64.
 */
#ifndef NH_EVIDENCE_ZIP_H
#define NH_EVIDENCE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* A part of a file: a whole one, or the slice of a shard. */
struct nh_span {
	int fd;
	int64_t at, size; /* bytes */
};

/* Exactly n bytes from `at` within the span; 0, -ENODATA past its end, or what pread says. */
int nh_span_read(const struct nh_span *s, int64_t at, void *buf, size_t n);

#define NH_ZIP_MEMBERS_MAX (1u << 20)
#define NH_ZIP_DIRECTORY_MAX (128u << 20) /* bytes */

struct nh_zip {
	struct nh_span span;
	char *dir; /* the central directory */
	size_t dir_size, members;
};

struct nh_zip_member {
	const char *name; /* not terminated, any bytes; points into the directory */
	size_t name_n;
	int64_t at; /* of its local header */
	int64_t packed, size;
	uint32_t crc;
	int method;
};

/*
 * Reads the central directory; close in any case.  -ENODATA: there is none, the archive is cut;
 * -EBADMSG: it contradicts itself or the file; -E2BIG, -ENOMEM, or an error of pread.
 */
int nh_zip_open(struct nh_span span, struct nh_zip *ret, struct nh_err *err);
void nh_zip_close(struct nh_zip *z);

/* The next member, *at starting with 0; false past the last. */
bool nh_zip_next(const struct nh_zip *z, size_t *at, struct nh_zip_member *ret);

/* A member's bytes, at most `most`, into fresh memory (*ret, to be freed) after checking sizes and
 * checksum. */
int nh_zip_read(const struct nh_zip *z, const struct nh_zip_member *m, size_t most, char **ret,
	struct nh_err *err);

#endif
