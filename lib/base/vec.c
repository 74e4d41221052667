#include "base/vec.h"

#include <string.h>

void *nh_vec_push(struct nh_arena *a, struct nh_vec *vec, size_t size)
{
	if (vec->n == vec->cap) {
		size_t cap = vec->cap ? vec->cap * 2 : 8;
		char *grown = nh_arena_alloc(a, cap, size);

		if (vec->n)
			memcpy(grown, vec->v, vec->n * size);
		vec->v = grown;
		vec->cap = cap;
	}
	/* A vector that was emptied is filled anew. */
	return memset((char *)vec->v + vec->n++ * size, 0, size);
}
