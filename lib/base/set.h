/* A set of non-zero 64-bit keys (inodes, packed identities) in an arena. */
#ifndef NH_BASE_SET_H
#define NH_BASE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

struct nh_set {
	uint64_t *slots; /* open addressing; 0 = free */
	size_t n, cap;	 /* cap is a power of two */
};

/* True if the key was not in it before.  Key 0 is never added. */
bool nh_set_add(struct nh_arena *a, struct nh_set *s, uint64_t key);
bool nh_set_has(const struct nh_set *s, uint64_t key);
/* A well-mixed 64-bit hash of n bytes, for keys that do not fit. */
uint64_t nh_hash(const void *p, size_t n, uint64_t seed);

#endif
