#include "evidence/log_reader.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include "base/str.h"
#include "know/log_lines.h"

static bool begins(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

/* The value of "key   : value", NULL if the line has another key. */
static const char *value_of(const char *s, size_t n, const char *key, size_t *len)
{
	const char *end = s + n;

	while (s < end && *s == ' ')
		s++;
	if (!begins(s, (size_t)(end - s), key))
		return NULL;
	s += strlen(key);
	while (s < end && *s == ' ')
		s++;
	if (s == end || *s != ':')
		return NULL;
	s += 1 + (s + 1 < end && s[1] == ' ');
	*len = (size_t)(end - s);
	return s;
}

/* The launcher polls: what it calls first is what it noticed first. */
static void failed(struct nh_log *l, const struct nh_log_head *line, const char *s, size_t n)
{
	struct nh_log_stream *st = nh_log_stream_of(l, l->failure.rank);
	struct nh_log_head h = *line;
	struct nh_log_event *e;
	const char *pid;
	int64_t code;

	if (!nh_log_int(s, n, &code) || !code || !st)
		return;
	h.at_ms = l->failure.at_ms;
	h.clock = l->failure.clock;
	e = nh_log_event_add(l, st, &h, code < 0 ? NH_LOG_SIGNAL : NH_LOG_EXIT);
	if (!e)
		return;
	e->rank = l->failure.rank;
	e->local_rank = l->failure.local_rank;
	e->host = l->failure.host;
	e->root = l->root;
	e->exit_code = code;
	if (code < 0)
		e->signal = -code;
	pid = memmem(s, n, "(pid: ", 6);
	if (pid)
		nh_log_int(pid + 6, (size_t)(s + n - pid) - 6, &e->pid);
}

void nh_log_summary(struct nh_log *l, const struct nh_log_head *h)
{
	const char *s = h->body, *v;
	size_t n = h->n, len;
	struct nh_log_head at;

	if (begins(s, n, "Root Cause (first observed failure):") || begins(s, n, "Failures:")) {
		l->summary = true;
		l->root = *s == 'R';
		return;
	}
	if (!l->summary)
		return;
	if (n > 3 && *s == '[' && isdigit((unsigned char)s[1])) {
		l->failure = (struct nh_log_event){ 0 };
		nh_row_init(&nh_log_event_type, &l->failure);
	} else if ((v = value_of(s, n, "time", &len))) {
		nh_log_head(v, len, &at);
		l->failure.at_ms = at.at_ms;
		l->failure.clock = at.clock;
	} else if ((v = value_of(s, n, "host", &len))) {
		l->failure.host = nh_utf8_repair(l->c->arena, v, len < 255 ? len : 255);
	} else if ((v = value_of(s, n, "rank", &len))) {
		nh_log_int(v, len, &l->failure.rank);
		v = memmem(v, len, "(local_rank: ", 13);
		if (v)
			nh_log_int(v + 13, (size_t)(s + n - v) - 13, &l->failure.local_rank);
	} else if ((v = value_of(s, n, "exitcode", &len))) {
		failed(l, h, v, len);
	}
}

bool nh_log_is_error(const char *s, size_t n)
{
	return s && begins(s, n, "{\"message\"") &&
	       (memmem(s, n, "\"py_callstack\"", 14) || memmem(s, n, "\"extraInfo\"", 11));
}

static int64_t seconds(const json_t *v)
{
	int64_t s = NH_UNKNOWN;

	if (json_is_string(v))
		nh_log_int(json_string_value(v), json_string_length(v), &s);
	else if (json_is_integer(v))
		s = json_integer_value(v);
	return s > 0 && s < INT64_MAX / 1000 ? s * 1000 : NH_UNKNOWN;
}

void nh_log_error(struct nh_log *l, const char *s, size_t n)
{
	json_t *obj = json_loadb(s, n, 0, NULL);
	const json_t *m = json_object_get(obj, "message");
	const json_t *text = json_is_object(m) ? json_object_get(m, "message") : m;
	struct nh_log_stream *st = nh_log_stream_of(l, l->rank);
	struct nh_log_head h = {
		.label = NH_UNKNOWN,
		.rank = l->rank,
		.role_rank = NH_UNKNOWN,
		.group_rank = NH_UNKNOWN,
	};
	int kind;

	if (st && json_is_string(text)) {
		h.body = json_string_value(text);
		h.n = json_string_length(text);
		h.at_ms = seconds(json_object_get(json_object_get(m, "extraInfo"), "timestamp"));
		h.clock = h.at_ms == NH_UNKNOWN ? 0 : NH_CLOCK_EPOCH;
		kind = nh_log_exception(h.body, h.n);
		nh_log_event_add(l, st, &h, kind ? kind : NH_LOG_EXCEPTION);
	}
	json_decref(obj);
}
