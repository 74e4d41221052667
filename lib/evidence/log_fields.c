#include "evidence/log_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "know/log_lines.h"
#include "know/secret.h"

enum { TEXT_MAX = 400, NAMED_MAX = 64, WORD_MAX = 40, NUMBER_MAX = 31 };

/* Bytes of "2.00 GiB"; -1 = no such size. */
static double size_of(const char *s, size_t n)
{
	static const char units[] = "BKMGTP";
	char buf[NUMBER_MAX + 1], *end;
	const char *unit;
	double v, scale = 1;

	n = n < NUMBER_MAX ? n : NUMBER_MAX;
	memcpy(buf, s, n);
	buf[n] = '\0';
	if (!isdigit((unsigned char)buf[0]))
		return -1;
	v = strtod(buf, &end);
	unit = end[0] == ' ' && end[1] ? strchr(units, end[1]) : NULL;
	if (!unit || !(v < 1e12))
		return -1;
	for (; unit > units; unit--)
		scale *= 1024;
	return v * scale < 9e18 ? v * scale : -1;
}

/* The beginning of the number and unit that end at `at`. */
static size_t back(const char *s, size_t at)
{
	size_t i = at;

	while (i && isalpha((unsigned char)s[i - 1]))
		i--;
	if (i && s[i - 1] == ' ')
		i--;
	while (i && (isdigit((unsigned char)s[i - 1]) || s[i - 1] == '.'))
		i--;
	return i;
}

static const char *word(struct nh_arena *a, const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && len < WORD_MAX && (isalnum((unsigned char)s[len]) || s[len] == '_'))
		len++;
	return len ? nh_arena_strndup(a, s, len) : NULL;
}

static void number(struct nh_arena *a, const struct nh_log_number *row, const char *s, size_t n,
	struct nh_log_event *e)
{
	const char *at = memmem(s, n, row->mark, strlen(row->mark));
	void *field = (char *)e + row->offset;
	size_t from;
	double size;

	if (!at)
		return;
	from = row->before ? back(s, (size_t)(at - s)) : (size_t)(at - s) + strlen(row->mark);
	switch (row->unit) {
	case NH_LOG_WORD:
		if (!*(const char **)field)
			*(const char **)field = word(a, s + from, n - from);
		return;
	case NH_LOG_COUNT:
		if (*(int64_t *)field == NH_UNKNOWN)
			nh_log_int(s + from, n - from, field);
		return;
	case NH_LOG_BYTES:
		size = size_of(s + from, n - from);
		if (*(int64_t *)field == NH_UNKNOWN && size >= 0)
			*(int64_t *)field = (int64_t)size;
	}
}

/* "ranks [2, 3] are the lagging …", "Ranks 2, 3 failed to pass monitoredBarrier" */
static void named(struct nh_arena *a, const char *s, size_t n, struct nh_log_event *e)
{
	const char *barrier = memmem(s, n, " failed to pass", 15), *at = memmem(s, n, "ranks [", 7);
	const char *end = s + n;
	int64_t rank;
	size_t took;

	at = at ? at + 7 : NULL;
	for (const char *p = s; barrier && (p = memmem(p, (size_t)(barrier - p), "Rank", 4));
		p = at)
		at = p + 4;
	while (at && at < end && (*at == 's' || *at == ' '))
		at++;
	while (at && e->named.n < NAMED_MAX && (took = nh_log_int(at, (size_t)(end - at), &rank))) {
		*nh_push(a, &e->named) = rank;
		at += took;
		while (at < end && (*at == ',' || *at == ' '))
			at++;
	}
}

void nh_log_fields(struct nh_arena *a, const char *s, size_t n, struct nh_log_event *e)
{
	for (size_t i = 0; i < nh_log_numbers_n; i++)
		if (nh_log_numbers[i].kind == e->kind)
			number(a, &nh_log_numbers[i], s, n, e);
	if (e->kind == NH_LOG_LAGGING)
		named(a, s, n, e);
	if (e->kind == NH_LOG_EXIT && e->exit_code < 0 && e->exit_code > -65) {
		e->kind = NH_LOG_SIGNAL;
		e->signal = -e->exit_code;
	}
}

const char *nh_log_text(struct nh_arena *a, const char *s, size_t n)
{
	struct nh_arena tmp = { 0 };
	const char *previous = NULL, *text = "";
	char *whole, *rest, *one;

	whole = nh_arena_strdup(&tmp, nh_utf8_repair(&tmp, s, n < TEXT_MAX ? n : TEXT_MAX));
	for (rest = whole; (one = strsep(&rest, " ")); previous = one)
		text = nh_arena_printf(&tmp, "%s%s%s", text, previous ? " " : "",
			nh_mask_argument(&tmp, one, previous));
	text = nh_arena_printf(a, "%s%s", text, n > TEXT_MAX ? "…" : "");
	nh_arena_free(&tmp);
	return text;
}
