/* A bump allocator: everything in one case lives and dies together. */
#ifndef NH_BASE_ARENA_H
#define NH_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct nh_arena {
	struct nh_chunk *head;
	size_t bytes; /* handed out so far, for memory notes */
};

/* Zeroed and 16-byte aligned; never NULL: running out of memory ends the program with status 70. */
void *nh_arena_alloc(struct nh_arena *a, size_t n, size_t size)
	__attribute__((returns_nonnull, malloc, alloc_size(2, 3)));
/* The n bytes at s and a terminating NUL. */
char *nh_arena_strndup(struct nh_arena *a, const char *s, size_t n)
	__attribute__((returns_nonnull));
/* NULL stays NULL, so that "unknown" survives the copy. */
char *nh_arena_strdup(struct nh_arena *a, const char *s);
char *nh_arena_printf(struct nh_arena *a, const char *fmt, ...)
	__attribute__((returns_nonnull, format(printf, 2, 3)));
char *nh_arena_vprintf(struct nh_arena *a, const char *fmt, va_list ap)
	__attribute__((returns_nonnull, nonnull(2), format(printf, 2, 0)));
/* Safe on a zeroed arena and more than once. */
void nh_arena_free(struct nh_arena *a);

#define nh_new(a, type, n) ((type *)nh_arena_alloc((a), (n), sizeof(type)))

#endif
