#include "evidence/log_line.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a training loop fit in so much of a line. */
enum { LINE_MAX_LOOKED = 4096, NUMBER_MAX = 31 };

static void set(struct nh_log_step *to, const char *key, size_t n, double v)
{
	const struct nh_log_metric *row = nh_log_metric_of(key, n);

	if (!row || !isfinite(v) || fabs(v * row->scale) > 9e18)
		return;
	*(int64_t *)((char *)to + row->offset) = (int64_t)(v * row->scale);
}

/* A name as hosts have it, not a sentence. */
static void set_host(struct nh_log_step *to, const char *key, size_t key_n, const char *s, size_t n)
{
	size_t len = 0;

	if ((key_n != 4 || memcmp(key, "host", 4) != 0) &&
		(key_n != 8 || memcmp(key, "hostname", 8) != 0))
		return;
	while (len < n && (isalnum((unsigned char)s[len]) || (s[len] && strchr("-._", s[len]))))
		len++;
	if (len >= sizeof(to->host))
		return;
	memcpy(to->host, s, len);
	to->host[len] = '\0';
}

static void from_json(const char *s, size_t n, struct nh_log_step *to)
{
	json_t *obj = json_loadb(s, n, JSON_DISABLE_EOF_CHECK, NULL), *v;
	const char *key;

	json_object_foreach(obj, key, v)
		if (json_is_number(v))
			set(to, key, strlen(key), json_number_value(v));
		else if (json_is_string(v))
			set_host(to, key, strlen(key), json_string_value(v), json_string_length(v));
	json_decref(obj);
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

static void from_pairs(const char *s, size_t n, struct nh_log_step *to)
{
	const char *end = s + n, *eq = s;

	for (; (eq = memchr(eq, '=', (size_t)(end - eq))); eq++) {
		const char *key = eq;
		double v;

		while (key > s && (isalnum((unsigned char)key[-1]) || key[-1] == '_'))
			key--;
		if (key < eq && value(eq + 1, (size_t)(end - eq) - 1, &v))
			set(to, key, (size_t)(eq - key), v);
		set_host(to, key, (size_t)(eq - key), eq + 1, (size_t)(end - eq) - 1);
	}
}

static bool tells_step(const struct nh_rank_metric *m)
{
	return m->compute_us >= 0 || m->wait_us >= 0 || m->peak_bytes >= 0 ||
	       m->checkpoint_step >= 0;
}

static bool tells_saving(const struct nh_save_cost *s)
{
	return s->every > 0 || s->interval_us > 0 || s->block_us > 0 || s->write_us > 0 ||
	       s->mtbf_us > 0;
}

bool nh_log_metrics(const char *s, size_t n, struct nh_log_step *ret)
{
	static const char *const words[] = { "step", "iteration", "ckpt", "mtbf" };
	const struct nh_rank_metric *m = &ret->metric;
	bool any = false;
	const char *brace;

	nh_row_init(&nh_rank_metric_type, &ret->metric);
	nh_row_init(&nh_save_cost_type, &ret->save);
	ret->host[0] = '\0';
	n = n < LINE_MAX_LOOKED ? n : LINE_MAX_LOOKED;
	for (size_t i = 0; !any && i < sizeof(words) / sizeof(*words); i++)
		any = memmem(s, n, words[i], strlen(words[i]));
	if (!any)
		return false;
	brace = memchr(s, '{', n);
	if (brace)
		from_json(brace, n - (size_t)(brace - s), ret);
	else
		from_pairs(s, n, ret);
	if (m->rank < 0 && m->rank != NH_UNKNOWN)
		return false;
	return (m->step >= 0 && (tells_step(m) || ret->save.step_us > 0)) ||
	       tells_saving(&ret->save);
}
