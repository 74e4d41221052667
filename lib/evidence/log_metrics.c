#include "evidence/log_line.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "know/log_lines.h"

/* Numbers of a training loop fit in so much of a line. */
enum { LINE_MAX_LOOKED = 4096, NUMBER_MAX = 31 };

static bool set(struct nh_rank_metric *m, const char *key, size_t n, double v)
{
	const struct nh_log_metric *row = nh_log_metric_of(key, n);

	if (!row || !isfinite(v) || fabs(v * row->scale) > 9e18)
		return false;
	*(int64_t *)((char *)m + row->offset) = (int64_t)(v * row->scale);
	return true;
}

static size_t from_json(const char *s, size_t n, struct nh_rank_metric *m)
{
	json_t *obj = json_loadb(s, n, JSON_DISABLE_EOF_CHECK, NULL), *v;
	const char *key;
	size_t found = 0;

	json_object_foreach(obj, key, v)
		found += json_is_number(v) && set(m, key, strlen(key), json_number_value(v));
	json_decref(obj);
	return found;
}

/* A number that the key's '=' is followed by; false = something else. */
static bool value(const char *s, size_t n, double *ret)
{
	char buf[NUMBER_MAX + 1], *end;

	n = n < NUMBER_MAX ? n : NUMBER_MAX;
	memcpy(buf, s, n);
	buf[n] = '\0';
	*ret = strtod(buf, &end);
	return end > buf && !isalnum((unsigned char)*end);
}

static size_t from_pairs(const char *s, size_t n, struct nh_rank_metric *m)
{
	const char *end = s + n, *eq = s;
	size_t found = 0;

	for (; (eq = memchr(eq, '=', (size_t)(end - eq))); eq++) {
		const char *key = eq;
		double v;

		while (key > s && (isalnum((unsigned char)key[-1]) || key[-1] == '_'))
			key--;
		if (key < eq && value(eq + 1, (size_t)(end - eq) - 1, &v))
			found += set(m, key, (size_t)(eq - key), v);
	}
	return found;
}

bool nh_log_metrics(const char *s, size_t n, struct nh_rank_metric *ret)
{
	const char *brace;
	size_t found;

	nh_row_init(&nh_rank_metric_type, ret);
	n = n < LINE_MAX_LOOKED ? n : LINE_MAX_LOOKED;
	if (!memmem(s, n, "step", 4) && !memmem(s, n, "iteration", 9))
		return false;
	brace = memchr(s, '{', n);
	found = brace ? from_json(brace, n - (size_t)(brace - s), ret) : from_pairs(s, n, ret);
	return ret->step >= 0 && found > 1 && (ret->rank >= 0 || ret->rank == NH_UNKNOWN) &&
	       (ret->compute_us >= 0 || ret->wait_us >= 0 || ret->peak_bytes >= 0 ||
		       ret->checkpoint_step >= 0);
}
