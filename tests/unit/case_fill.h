/* Cases made by walking the field tables, so that a new field is covered without a new test. */
#ifndef CASE_FILL_H
#define CASE_FILL_H

#include <stdlib.h>
#include <string.h>
#include "case/codec.h"

/* Every field set; values differ with *seed. */
static inline void fill_row(
	struct nh_arena *a, const struct nh_type *type, void *row, int64_t *seed);

static inline void fill_list(
	struct nh_arena *a, const struct nh_field *f, struct nh_vec *list, int64_t *seed)
{
	for (int i = 0; i < 3; i++) {
		if (f->kind == NH_F_ROWS)
			fill_row(a, f->type, nh_row_push(a, f->type, list), seed);
		else if (f->kind == NH_F_STRS)
			*(const char **)nh_vec_push(a, list, sizeof(char *)) =
				nh_arena_printf(a, "NAME_%lld=\"ä\\\n\x01\"", (long long)++*seed);
		else
			*(int64_t *)nh_vec_push(a, list, sizeof(int64_t)) = ++*seed;
	}
}

static inline void fill_field(struct nh_arena *a, const struct nh_field *f, void *p, int64_t *seed)
{
	switch (f->kind) {
	case NH_F_INT:
		*(int64_t *)p = ++*seed % 2 ? *seed : -*seed;
		break;
	case NH_F_HEX:
		*(uint64_t *)p = 0xffffffffff600000 + (uint64_t)++ * seed;
		break;
	case NH_F_STR:
		*(const char **)p = nh_arena_printf(
			a, "%s \"%lld\" \\ \t\xe2\x82\xac", f->name, (long long)++*seed);
		break;
	case NH_F_BOOL:
		*(bool *)p = true;
		break;
	case NH_F_ENUM:
		*(int *)p = f->names[2] && ++*seed % 2 ? 2 : 1;
		break;
	case NH_F_ROW:
		*(void **)p = nh_arena_alloc(a, 1, f->type->size);
		fill_row(a, f->type, *(void **)p, seed);
		break;
	default:
		fill_list(a, f, p, seed);
	}
}

static inline void fill_row(
	struct nh_arena *a, const struct nh_type *type, void *row, int64_t *seed)
{
	for (const struct nh_field *f = type->fields; f->name; f++)
		fill_field(a, f, (char *)row + f->offset, seed);
}

static inline struct nh_case *fill_case(struct nh_arena *a, const char *id)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);
	int64_t seed = strlen(id) + (unsigned char)id[0];

	c->arena = a;
	c->id = id;
	fill_row(a, &nh_case_header_type, c, &seed);
	fill_row(a, &nh_case_tables_type, c, &seed);
	fill_row(a, &nh_verdict_type, &c->verdict, &seed);
	c->schema = NH_SCHEMA;
	return c;
}

/* A sink into memory. */
struct text {
	char *s;
	size_t n;
};

static inline int text_write(void *ctx, const char *buf, size_t n)
{
	struct text *t = ctx;

	t->s = realloc(t->s, t->n + n + 1);
	memcpy(t->s + t->n, buf, n);
	t->n += n;
	t->s[t->n] = '\0';
	return 0;
}

/* The case as text, in the arena. */
static inline char *case_text(struct nh_arena *a, const struct nh_case *c)
{
	struct text t = { 0 };
	char *s;

	nh_case_write(c, (struct nh_sink){ text_write, &t });
	s = nh_arena_strndup(a, t.s, t.n);
	free(t.s);
	return s;
}

#endif
