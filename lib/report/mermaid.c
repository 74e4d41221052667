#include "report/mermaid.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "report/cells.h"

#define NODES_MAX 60 /* a longer path is no picture any more */
#define LABEL_MAX 100

/* A quoted label.  Whatever mermaid could take for syntax, a directive (%%{…}%%) or HTML is written
 * as #NUMBER;, its own form of an entity. */
static const char *label(struct nh_arena *a, const char *s)
{
	char *text, *to;

	s = nh_shorten(a, s, LABEL_MAX);
	to = text = nh_new(a, char, strlen(s) * 5 + 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (isalnum(c) || c >= 0x80 || strchr(" .,:()/=+-_", c))
			*to++ = (char)c;
		else
			to += sprintf(to, "#%d;", c);
	}
	return text;
}

/* The number of the node with that text: the same one wherever a path meets it again. */
static size_t node(const struct nh_doc *d, size_t from, size_t to, const char *text)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		const struct nh_block *b = &d->blocks.v[i];

		if (b->kind == NH_B_NODE && !strcmp(b->text, text))
			return n;
		n += b->kind == NH_B_NODE;
	}
	return n;
}

const char *nh_mermaid(struct nh_arena *a, const struct nh_doc *d, size_t from, size_t to)
{
	const char *s = "flowchart TD\n";
	size_t seen = 0, rest = 0;

	for (size_t i = from; i < to; i++) {
		const struct nh_block *b = &d->blocks.v[i];

		if (b->kind == NH_B_NODE && seen == NODES_MAX)
			rest++;
		if (seen == NODES_MAX)
			continue;
		if (b->kind == NH_B_ARROW && i > from && i + 1 < to)
			s = nh_arena_printf(a, "%s  n%zu %s|\"%s\"| n%zu\n", s,
				node(d, from, to, b[-1].text), b->dotted ? "-.->" : "-->",
				label(a, b->term), node(d, from, to, b[1].text));
		if (b->kind != NH_B_NODE)
			continue;
		if (node(d, from, to, b->text) == seen)
			s = nh_arena_printf(a, "%s  n%zu[\"%s\"]\n", s, seen, label(a, b->text));
		if (b->tone == NH_TONE_BAD)
			s = nh_arena_printf(
				a, "%s  class n%zu culprit\n", s, node(d, from, to, b->text));
		seen++;
	}
	if (rest)
		s = nh_arena_printf(a, "%s  more[\"and %zu more\"]\n", s, rest);
	return nh_arena_printf(a, "%s  classDef culprit stroke:#c00000,stroke-width:3px\n", s);
}
