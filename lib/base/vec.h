/*
 * A growing array in an arena.  Every NH_VEC has the layout of struct nh_vec, which is how the
 * codec walks lists it knows only by their element size.
 */
#ifndef NH_BASE_VEC_H
#define NH_BASE_VEC_H

#include "base/arena.h"

struct nh_vec {
	void *v;
	size_t n, cap;
};

#define NH_VEC(type)                                                                               \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, cap;                                                                     \
	}

/* A zeroed new last element of `size` bytes; valid until the next push onto the same vector. */
void *nh_vec_push(struct nh_arena *a, struct nh_vec *vec, size_t size)
	__attribute__((returns_nonnull));

/* nh_push(arena, &vec) = pointer to the new element, typed. */
#define nh_push(a, vec)                                                                            \
	((__typeof__(&*(vec)->v))nh_vec_push((a), (struct nh_vec *)(vec), sizeof(*(vec)->v)))

#define nh_for(it, vec)                                                                            \
	for (__typeof__(&*(vec)->v) it = (vec)->v; (vec)->v && it < (vec)->v + (vec)->n; it++)

#endif
