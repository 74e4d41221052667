#include "know/names.h"

#include <string.h>

static unsigned bit_of(const char *name, size_t n)
{
	return ((unsigned char)*name * 37U + (unsigned)n) % 1024;
}

void nh_names_add(struct nh_names *s, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, "|");
		const char *at = memchr(list, '@', n);
		unsigned bit = bit_of(list, at ? (size_t)(at - list) : n);

		s->bits[bit / 64] |= (uint64_t)1 << bit % 64;
		list += n + (list[n] == '|');
	}
}

bool nh_names_may_have(const struct nh_names *s, const char *name)
{
	unsigned bit = bit_of(name, strlen(name));

	return *name && s->bits[bit / 64] >> bit % 64 & 1;
}

bool nh_has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; n && (p = strstr(p, word)); p += n)
		if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}
