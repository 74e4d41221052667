#include "evidence/zip.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Sizes of the records without their variable parts (APPNOTE.TXT 4.3). */
enum { LOCAL = 30, CENTRAL = 46, END = 22, END64 = 56, LOCATOR = 20, COMMENT_MAX = 65535 };

static uint64_t le(const char *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return le64toh(v);
}

int nh_span_read(const struct nh_span *s, int64_t at, void *buf, size_t n)
{
	char *p = buf;

	if (at < 0 || at > s->size || n > (uint64_t)(s->size - at))
		return -ENODATA;
	while (n) {
		ssize_t got = pread(s->fd, p, n, s->at + at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		p += got;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

/* Where the central directory is said to be. */
struct where {
	uint64_t at, size, members;
	int64_t end; /* of the room it may take: its own end record */
};

/* The end record stands last, before a comment at most. */
static int find_end(const struct nh_span *s, char *end, int64_t *at)
{
	size_t n = s->size < COMMENT_MAX + END ? (size_t)s->size : COMMENT_MAX + END;
	char *tail = malloc(n + 1);
	int rc = tail ? nh_span_read(s, s->size - (int64_t)n, tail, n) : -ENOMEM;
	size_t i = n;

	if (!rc) {
		rc = -ENODATA;
		for (i = n < END ? 0 : n - END + 1; rc && i-- > 0;)
			if (!memcmp(tail + i, "PK\5\6", 4) && le(tail + i + 20, 2) == n - i - END)
				rc = 0;
	}
	if (!rc) {
		memcpy(end, tail + i, END);
		*at = s->size - (int64_t)n + (int64_t)i;
	}
	free(tail);
	return rc;
}

/* zip64 has a second end record, and a locator for it right before the first. */
static int find_end64(const struct nh_span *s, int64_t at, struct where *w)
{
	char locator[LOCATOR], end[END64];
	uint64_t where;

	if (nh_span_read(s, at - LOCATOR, locator, LOCATOR) || memcmp(locator, "PK\6\7", 4) != 0)
		return 0;
	where = le(locator + 8, 8);
	if (where > (uint64_t)at || nh_span_read(s, (int64_t)where, end, END64) ||
		memcmp(end, "PK\6\6", 4) != 0)
		return -EBADMSG;
	*w = (struct where){ le(end + 48, 8), le(end + 40, 8), le(end + 32, 8), (int64_t)where };
	return 0;
}

static int read_directory(struct nh_zip *z, const struct where *w, struct nh_err *err)
{
	if (w->at > (uint64_t)w->end || w->size > (uint64_t)w->end - w->at)
		return nh_fail(err, -EBADMSG,
			"its central directory is said to be %llu bytes at %llu, but only %lld are "
			"before its end",
			(unsigned long long)w->size, (unsigned long long)w->at, (long long)w->end);
	if (w->size > NH_ZIP_DIRECTORY_MAX || w->members > NH_ZIP_MEMBERS_MAX)
		return nh_fail(err, -E2BIG, "its central directory is larger than %u MiB",
			NH_ZIP_DIRECTORY_MAX >> 20);
	z->dir = malloc(w->size + 1);
	if (!z->dir)
		return nh_fail(err, -ENOMEM, "%s", strerror(ENOMEM));
	z->dir_size = w->size;
	return nh_span_read(&z->span, (int64_t)w->at, z->dir, w->size);
}

static int check_members(struct nh_zip *z, const struct where *w, struct nh_err *err)
{
	struct nh_zip_member m;
	size_t at = 0;

	while (nh_zip_next(z, &at, &m)) {
		if (m.packed < 0 || m.at < 0 || m.at > (int64_t)w->at ||
			m.packed > (int64_t)w->at - m.at)
			return nh_fail(err, -EBADMSG,
				"member %zu is said to be %lld bytes at %lld: past the end of the "
				"members at byte %llu",
				z->members, (long long)m.packed, (long long)m.at,
				(unsigned long long)w->at);
		z->members++;
	}
	if (at != z->dir_size || z->members != w->members)
		return nh_fail(err, -EBADMSG,
			"its central directory has %zu members up to byte %llu, not the %llu it "
			"should have",
			z->members, (unsigned long long)w->at + at, (unsigned long long)w->members);
	return 0;
}

int nh_zip_open(struct nh_span span, struct nh_zip *ret, struct nh_err *err)
{
	char end[END];
	struct where w;
	int64_t at = 0;
	int rc;

	*ret = (struct nh_zip){ .span = span };
	rc = find_end(&span, end, &at);
	if (rc)
		return nh_fail(err, rc, "%s",
			rc == -ENODATA
				? "cut: a zip archive without its central directory, which is "
				  "written last"
				: strerror(-rc));
	w = (struct where){ le(end + 16, 4), le(end + 12, 4), le(end + 10, 2), at };
	rc = find_end64(&span, at, &w);
	if (rc)
		return nh_fail(err, rc, "its zip64 end record is not where it is said to be");
	rc = read_directory(ret, &w, err);
	return rc ? rc : check_members(ret, &w, err);
}

void nh_zip_close(struct nh_zip *z)
{
	free(z->dir);
	z->dir = NULL;
}

/* Values of 32 bits that are all ones stand in the extra field 1, in this order. */
static void widen(const char *extra, size_t n, struct nh_zip_member *m)
{
	int64_t *const fields[] = { &m->size, &m->packed, &m->at };
	size_t len, used = 4;

	while (n >= 4 && le(extra, 2) != 1) {
		len = 4 + le(extra + 2, 2);
		if (len > n)
			return;
		extra += len;
		n -= len;
	}
	if (n < 4)
		return;
	len = le(extra + 2, 2) + 4 < n ? le(extra + 2, 2) + 4 : n;
	for (size_t i = 0; i < 3; i++) {
		if (*fields[i] != UINT32_MAX || used + 8 > len)
			continue;
		*fields[i] = (int64_t)le(extra + used, 8);
		used += 8;
	}
}

bool nh_zip_next(const struct nh_zip *z, size_t *at, struct nh_zip_member *ret)
{
	const char *p = z->dir + *at;
	size_t left = z->dir_size - *at, name, extra, total;

	if (left < CENTRAL || memcmp(p, "PK\1\2", 4) != 0)
		return false;
	name = le(p + 28, 2);
	extra = le(p + 30, 2);
	total = CENTRAL + name + extra + le(p + 32, 2);
	if (total > left)
		return false;
	*ret = (struct nh_zip_member){ .name = p + CENTRAL,
		.name_n = name,
		.at = (int64_t)le(p + 42, 4),
		.packed = (int64_t)le(p + 20, 4),
		.size = (int64_t)le(p + 24, 4),
		.crc = (uint32_t)le(p + 16, 4),
		.method = (int)le(p + 10, 2) };
	widen(p + CENTRAL + name, extra, ret);
	*at += total;
	return true;
}

static int inflate_all(char *in, size_t in_n, char *out, size_t out_n)
{
	z_stream s = { .next_in = (Bytef *)in,
		.avail_in = (uInt)in_n,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)out_n };
	int rc = inflateInit2(&s, -MAX_WBITS);

	if (rc != Z_OK)
		return -ENOMEM;
	rc = inflate(&s, Z_FINISH);
	inflateEnd(&s);
	return rc == Z_STREAM_END && !s.avail_out ? 0 : -EBADMSG;
}

/* The packed bytes, behind a local header of its own length. */
static int read_packed(const struct nh_zip *z, const struct nh_zip_member *m, char *buf)
{
	char local[LOCAL];
	int rc = nh_span_read(&z->span, m->at, local, LOCAL);

	if (rc)
		return rc;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return -EBADMSG;
	return nh_span_read(&z->span,
		m->at + LOCAL + (int64_t)le(local + 26, 2) + (int64_t)le(local + 28, 2), buf,
		(size_t)m->packed);
}

static int unpack(const struct nh_zip *z, const struct nh_zip_member *m, char *out)
{
	char *packed;
	int rc;

	if (m->method == 0)
		return m->packed == m->size ? read_packed(z, m, out) : -EBADMSG;
	if (m->method != Z_DEFLATED)
		return -EOPNOTSUPP;
	packed = malloc((size_t)m->packed + 1);
	rc = packed ? read_packed(z, m, packed) : -ENOMEM;
	if (!rc)
		rc = inflate_all(packed, (size_t)m->packed, out, (size_t)m->size);
	free(packed);
	return rc;
}

int nh_zip_read(const struct nh_zip *z, const struct nh_zip_member *m, size_t most, char **ret,
	struct nh_err *err)
{
	char *out;
	int rc;

	if (m->size < 0 || m->packed < 0 || (uint64_t)m->size > most || (uint64_t)m->packed > most)
		return nh_fail(err, -E2BIG, "%.*s is larger than %zu MiB", (int)m->name_n, m->name,
			most >> 20);
	out = malloc((size_t)m->size + 1);
	rc = out ? unpack(z, m, out) : -ENOMEM;
	if (!rc && crc32(0, (const Bytef *)out, (uInt)m->size) != m->crc)
		rc = -EBADMSG;
	if (rc) {
		free(out);
		return nh_fail(err, rc, "%.*s at byte %lld: %s", (int)m->name_n, m->name,
			(long long)m->at,
			rc == -EBADMSG ? "damaged: its bytes do not agree with the directory"
				       : strerror(-rc));
	}
	*ret = out;
	return 0;
}
