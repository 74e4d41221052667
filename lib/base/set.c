#include "base/set.h"

#include <string.h>

static size_t place(const struct nh_set *s, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (s->cap - 1);

	while (s->slots[i] && s->slots[i] != key)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void grow(struct nh_arena *a, struct nh_set *s)
{
	struct nh_set bigger = { .cap = s->cap ? s->cap * 4 : 64 };

	bigger.slots = nh_new(a, uint64_t, bigger.cap);
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i])
			bigger.slots[place(&bigger, s->slots[i])] = s->slots[i];
	bigger.n = s->n;
	*s = bigger;
}

bool nh_set_add(struct nh_arena *a, struct nh_set *s, uint64_t key)
{
	if (!key)
		return false;
	if ((s->n + 1) * 4 > s->cap * 3)
		grow(a, s);

	size_t i = place(s, key);

	if (s->slots[i])
		return false;
	s->slots[i] = key;
	s->n++;
	return true;
}

bool nh_set_has(const struct nh_set *s, uint64_t key)
{
	return s->cap && key && s->slots[place(s, key)];
}

uint64_t nh_hash(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *b = p;
	/* The seed is mixed before the first byte, else it cancels against that byte. */
	uint64_t h = (seed ^ 0xcbf29ce484222325u) * 0x9e3779b97f4a7c15u;

	h ^= h >> 32;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	h ^= h >> 29;
	return h | 1; /* never 0, so that it can be a set's key */
}
