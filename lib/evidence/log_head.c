#include "evidence/log_line.h"

#include <ctype.h>
#include <string.h>

/* "[default0]:[rank0]:[E1129 …] [PG …]" and a colour: more before one message has not been seen. */
enum { PREFIXES_MAX = 8, INT_DIGITS = 18 };

size_t nh_log_int(const char *s, size_t n, int64_t *ret)
{
	bool minus = n && *s == '-';
	size_t i = minus, digits = 0;
	int64_t v = 0;

	for (; i < n && isdigit((unsigned char)s[i]) && digits < INT_DIGITS; i++, digits++)
		v = v * 10 + (s[i] - '0');
	if (!digits)
		return 0;
	*ret = minus ? -v : v;
	return i;
}

/* Exactly `width` digits. */
static bool digits(const char *s, size_t n, size_t width, int64_t *ret)
{
	return n >= width && *s != '-' && nh_log_int(s, width, ret) == width;
}

/* "19:15:44" with perhaps a fraction after '.' or ',': ms of the day, and the bytes taken. */
static size_t clock_time(const char *s, size_t n, int64_t *ms)
{
	int64_t h, m, sec, frac = 0;
	size_t at = 8;

	if (n < 8 || !digits(s, n, 2, &h) || s[2] != ':' || !digits(s + 3, n - 3, 2, &m) ||
		s[5] != ':' || !digits(s + 6, n - 6, 2, &sec))
		return 0;
	if (at + 1 < n && (s[at] == '.' || s[at] == ',') && isdigit((unsigned char)s[at + 1])) {
		int64_t scale = 100;

		for (at++; at < n && isdigit((unsigned char)s[at]); at++, scale /= 10)
			frac += (s[at] - '0') * scale;
	}
	*ms = ((h * 60 + m) * 60 + sec) * 1000 + frac;
	return at;
}

/* Days since the epoch of a date of the Gregorian calendar (Hinnant's days_from_civil). */
static int64_t days(int64_t y, int64_t m, int64_t d)
{
	int64_t era, yoe;

	y -= m <= 2;
	era = y / 400;
	yoe = y - era * 400;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 +
	       (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1 - 719468;
}

/* glog's "E1129 19:15:44.123456": without a year, so a leap year stands for each. */
static size_t glog_time(const char *s, size_t n, struct nh_log_head *h)
{
	int64_t month, day, ms;
	size_t took;

	if (n < 15 || !strchr("IWEFCVD", *s) || !digits(s + 1, n - 1, 2, &month) ||
		!digits(s + 3, n - 3, 2, &day) || s[5] != ' ')
		return 0;
	took = clock_time(s + 6, n - 6, &ms);
	if (!took)
		return 0;
	h->at_ms = days(2000, month, day) * 86400000 + ms;
	h->clock = NH_CLOCK_DAY;
	h->known = true;
	return 6 + took;
}

/* "2026-11-29 19:15:44,123", also with T or _ between. */
static size_t date_time(const char *s, size_t n, struct nh_log_head *h)
{
	int64_t year, month, day, ms;
	size_t took;

	if (n < 19 || !digits(s, n, 4, &year) || s[4] != '-' || !digits(s + 5, n - 5, 2, &month) ||
		s[7] != '-' || !digits(s + 8, n - 8, 2, &day) || !strchr(" T_", s[10]))
		return 0;
	took = clock_time(s + 11, n - 11, &ms);
	if (!took)
		return 0;
	h->at_ms = days(year, month, day) * 86400000 + ms;
	h->clock = NH_CLOCK_DATE;
	return 11 + took;
}

/* "[rank3]:" of PyTorch; "[default3]:" of the launcher: a role and the number in it. */
static void word_rank(const char *s, size_t n, struct nh_log_head *h)
{
	static const char *const words[] = { "rank", "default", "trainer", "worker" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t w = strlen(words[i]);
		int64_t rank = -1;

		if (n <= w || memcmp(s, words[i], w) != 0 ||
			nh_log_int(s + w, n - w, &rank) != n - w || rank < 0)
			continue;
		h->known = true;
		*(i ? &h->role_rank : &h->rank) = rank;
	}
}

/* "[PG ID 0 PG GUID 0(default_pg) Rank 3]", "[PG 0 Rank 3]", "[Rank 3]" */
static void group_rank(const char *s, size_t n, struct nh_log_head *h)
{
	size_t at = n;

	while (at && isdigit((unsigned char)s[at - 1]))
		at--;
	if (at == n || at < 5 || memcmp(s + at - 5, "Rank ", 5) != 0)
		return;
	nh_log_int(s + at, n - at, &h->group_rank);
	h->known = true;
}

/* One thing in brackets, a time, a colour; the bytes taken, 0 = the message begins. */
static size_t prefix(const char *s, size_t n, struct nh_log_head *h)
{
	const char *end;
	size_t took;

	if (n > 1 && s[0] == '\x1b' && s[1] == '[') {
		end = memchr(s, 'm', n < 16 ? n : 16);
		return end ? (size_t)(end - s) + 1 : 0;
	}
	if (!n || *s != '[') {
		took = glog_time(s, n, h);
		/* "E1129 19:15:44.123 4567 torch/…/api.py:874] message" */
		end = took ? memchr(s, ']', n < 256 ? n : 256) : NULL;
		return end ? (size_t)(end - s) + 1 : took ? took : date_time(s, n, h);
	}
	end = memchr(s, ']', n < 256 ? n : 256);
	if (!end)
		return 0;
	took = (size_t)(end - s) + 1;
	if (took < n && s[took] == ':') {
		word_rank(s + 1, took - 2, h);
		return took + 1;
	}
	if (!glog_time(s + 1, took - 2, h) && !date_time(s + 1, took - 2, h))
		group_rank(s + 1, took - 2, h);
	return took;
}

/* "3: ", " 3: " or "03: ": the number of the task, of one width in all lines. */
static size_t label(const char *s, size_t n, struct nh_log_head *h)
{
	enum { WIDTH_MAX = 7 };
	size_t blank = 0, took;
	int64_t v = -1;

	while (blank < n && blank < WIDTH_MAX && s[blank] == ' ')
		blank++;
	took = blank + nh_log_int(s + blank, n - blank, &v);
	if (v < 0 || took > WIDTH_MAX || took >= n || s[took] != ':' ||
		(took + 1 < n && s[took + 1] != ' '))
		return 0;
	h->label = v;
	return took + 1 + (took + 1 < n);
}

void nh_log_head(const char *s, size_t n, struct nh_log_head *ret)
{
	size_t first;

	*ret = (struct nh_log_head){ .label = NH_UNKNOWN,
		.rank = NH_UNKNOWN,
		.role_rank = NH_UNKNOWN,
		.group_rank = NH_UNKNOWN,
		.at_ms = NH_UNKNOWN };
	first = label(s, n, ret);
	s += first;
	n -= first;
	for (int i = 0; i < PREFIXES_MAX; i++) {
		size_t took = prefix(s, n, ret);

		if (!took)
			break;
		s += took;
		n -= took;
		/* One blank belongs to the prefix; more are the message's own, unless a logger
		 * wrote it: a traceback's lines carry no time. */
		for (bool more = true; more && n && (*s == ' ' || *s == '\t'); s++, n--)
			more = ret->clock;
	}
	ret->body = s;
	ret->n = n;
}

bool nh_log_in_tree(const char *path)
{
	static const char *const names[] = { "stdout.log", "stderr.log", "error.json" };
	const char *base = strrchr(path, '/');
	bool is = false;

	for (size_t i = 0; base && i < sizeof(names) / sizeof(*names); i++)
		is |= !strcmp(base + 1, names[i]);
	return is && nh_log_path_rank(path) >= 0;
}

int64_t nh_log_path_rank(const char *path)
{
	const char *base = strrchr(path, '/'), *at = strstr(path, "/attempt_");
	int64_t rank = NH_UNKNOWN;
	size_t took;

	at = !at && !strncmp(path, "attempt_", 8) ? path + 8 : at ? at + 9 : NULL;
	if (at) {
		at += strspn(at, "0123456789");
		took = *at == '/' ? nh_log_int(at + 1, strlen(at + 1), &rank) : 0;
		return took && at[1 + took] == '/' && rank >= 0 ? rank : NH_UNKNOWN;
	}
	base = base ? base + 1 : path;
	at = strstr(base, "rank");
	if (at) {
		at += 4 + strspn(at + 4, "-_.");
		nh_log_int(at, strlen(at), &rank);
	}
	return rank;
}
