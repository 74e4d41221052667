/* A hash map from bytes to a pointer, in an arena: case ids, line numbers seen, redacted words. */
#ifndef NH_CASE_MAP_H
#define NH_CASE_MAP_H

#include "base/arena.h"

struct nh_map_entry {
	const char *key; /* a NUL-terminated copy; NULL = free */
	size_t len;
	void *value;
};
struct nh_map {
	struct nh_map_entry *slots;
	size_t n, cap;
};

/* The entry of the key (len bytes), added with value NULL where it is new; valid until the next
 * call. */
struct nh_map_entry *nh_map_at(struct nh_arena *a, struct nh_map *m, const void *key, size_t len)
	__attribute__((returns_nonnull));

#endif
