#include "base/arena.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (64 * 1024)

struct nh_chunk {
	struct nh_chunk *next;
	size_t used, cap;
	_Alignas(16) char data[];
};

void *nh_arena_alloc(struct nh_arena *a, size_t n, size_t size)
{
	size_t want;

	if (__builtin_mul_overflow(n, size, &want) || want > PTRDIFF_MAX - CHUNK)
		errx(70, "out of memory");
	want = (want + 15) & ~(size_t)15;
	if (!a->head || a->head->cap - a->head->used < want) {
		size_t cap = want > CHUNK ? want : CHUNK;
		struct nh_chunk *c = calloc(1, sizeof(*c) + cap);

		if (!c)
			errx(70, "out of memory");
		c->cap = cap;
		c->next = a->head;
		a->head = c;
	}

	void *p = a->head->data + a->head->used;

	a->head->used += want;
	a->bytes += want;
	return p;
}

char *nh_arena_strndup(struct nh_arena *a, const char *s, size_t n)
{
	char *p = nh_new(a, char, n + 1);

	memcpy(p, s, n);
	return p;
}

char *nh_arena_strdup(struct nh_arena *a, const char *s)
{
	return s ? nh_arena_strndup(a, s, strlen(s)) : NULL;
}

char *nh_arena_vprintf(struct nh_arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];

	va_copy(again, ap);
	int n = vsnprintf(small, sizeof(small), fmt, ap);

	if (n < 0)
		n = 0;

	char *p = nh_new(a, char, (size_t)n + 1);

	if ((size_t)n < sizeof(small))
		memcpy(p, small, (size_t)n);
	else
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *nh_arena_printf(struct nh_arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *p = nh_arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

void nh_arena_free(struct nh_arena *a)
{
	for (struct nh_chunk *c = a->head, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	a->head = NULL;
	a->bytes = 0;
}
