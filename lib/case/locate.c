#include "case/decode.h"

#include <string.h>

/* jansson does not say where a value stood, so the text is walked again; only ever for an error. */
struct cursor {
	const char *s;
	size_t n, i;
};

static char peek(struct cursor *c)
{
	while (c->i < c->n && strchr(" \t\r\n:,", c->s[c->i]))
		c->i++;
	if (c->i >= c->n)
		return '\0';
	return c->s[c->i];
}

static void skip_string(struct cursor *c)
{
	for (c->i++; c->i < c->n && c->s[c->i] != '"'; c->i++)
		if (c->s[c->i] == '\\')
			c->i++;
	c->i++;
}

static void skip_scalar(struct cursor *c)
{
	while (c->i < c->n && !strchr(" \t\r\n,:]}", c->s[c->i]))
		c->i++;
}

static void skip_value(struct cursor *c)
{
	size_t depth = 0;

	do {
		char ch = peek(c);

		if (ch == '"') {
			skip_string(c);
		} else if (ch == '{' || ch == '[' || ch == '}' || ch == ']') {
			depth += ch == '{' || ch == '[' ? 1 : -1;
			c->i++;
		} else {
			skip_scalar(c);
		}
	} while (depth && c->i < c->n);
}

/* Moves from the start of an object or a list to where the step leads; false if it has no such. */
static bool descend(struct cursor *c, const struct nh_json_step *step, size_t *at)
{
	peek(c);
	c->i++;
	for (size_t i = 0; c->i < c->n; i++) {
		char ch = peek(c);
		size_t key = c->i;

		if (ch == '}' || ch == ']')
			return false;
		if (step->key)
			skip_string(c);
		if (step->key ? c->i - key == strlen(step->key) + 2 &&
					!strncmp(c->s + key + 1, step->key, strlen(step->key))
			      : i == step->index) {
			*at = key;
			return true;
		}
		skip_value(c);
	}
	return false;
}

size_t nh_json_locate(const char *s, size_t n, const struct nh_json_path *path)
{
	struct cursor c = { s, n, 0 };
	size_t at = 0;

	for (size_t i = 0; i < path->n && descend(&c, &path->step[i], &at); i++)
		;
	return at;
}
