#include "case/intake.h"

#include <stdbool.h>
#include <string.h>
#include "evidence/checkpoint.h"
#include "evidence/flight.h"
#include "evidence/log.h"

/* An object with a member "case", after nothing or after pdsh's "host: ". */
static bool is_case_line(const char *s, size_t n)
{
	const char *brace = memchr(s, '{', n), *key;

	if (!brace || (brace > s && (brace < s + 2 || memcmp(brace - 2, ": ", 2) != 0)))
		return false;
	n -= (size_t)(brace - s);
	key = memmem(brace, n, "\"case\"", 6);
	if (!key)
		return false;
	n -= (size_t)(key + 6 - brace);
	for (key += 6; n && (*key == ' ' || *key == '\t'); key++)
		n--;
	return n && *key == ':';
}

static bool has_case_line(const char *s, size_t n)
{
	while (n) {
		const char *nl = memchr(s, '\n', n);
		size_t len = nl ? (size_t)(nl - s) : n;

		if (is_case_line(s, len))
			return true;
		n -= nl ? len + 1 : len;
		s += nl ? len + 1 : len;
	}
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

enum nh_kind nh_kind_detect(const char *buf, size_t len)
{
	size_t blank = 0;

	if (len >= 2 && !memcmp(buf, "\x1f\x8b", 2))
		return NH_KIND_GZIP;
	if (len >= 4 && !memcmp(buf, "\x28\xb5\x2f\xfd", 4))
		return NH_KIND_ZSTD;
	if (nh_checkpoint_is(buf, len))
		return NH_KIND_CHECKPOINT;
	while (blank < len && is_blank(buf[blank]))
		blank++;
	if (blank == len)
		return NH_KIND_EMPTY;
	if (has_case_line(buf, len))
		return NH_KIND_CASE;
	if (nh_flight_is(buf, len))
		return NH_KIND_FLIGHT;
	return nh_log_is(buf, len) ? NH_KIND_LOG : NH_KIND_UNKNOWN;
}
