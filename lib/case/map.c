#include "case/map.h"

#include <stdint.h>
#include <string.h>

static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3;
	return h ^ h >> 32;
}

/* The key's entry, or the free one where it belongs. */
static struct nh_map_entry *probe(const struct nh_map *m, const char *key, size_t len)
{
	for (size_t i = hash(key, len);; i++) {
		struct nh_map_entry *e = &m->slots[i & (m->cap - 1)];

		if (!e->key || (e->len == len && !memcmp(e->key, key, len)))
			return e;
	}
}

static void grow(struct nh_arena *a, struct nh_map *m)
{
	struct nh_map old = *m;

	m->cap = old.cap ? old.cap * 2 : 64;
	m->slots = nh_new(a, struct nh_map_entry, m->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key)
			*probe(m, old.slots[i].key, old.slots[i].len) = old.slots[i];
}

struct nh_map_entry *nh_map_at(struct nh_arena *a, struct nh_map *m, const void *key, size_t len)
{
	struct nh_map_entry *e;

	if (m->n >= m->cap / 2)
		grow(a, m);
	e = probe(m, key, len);
	if (!e->key) {
		*e = (struct nh_map_entry){ nh_arena_strndup(a, key, len), len, NULL };
		m->n++;
	}
	return e;
}
