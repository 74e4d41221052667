#include "stack/lookup.h"

#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define DYNAMIC_MAX 256
#define SYMS_MAX (1U << 22)
#define STRINGS_MAX (64U << 20)

bool nh_dynamic_read(const struct nh_space *s, const struct nh_image *image, struct nh_dynamic *ret)
{
	Elf64_Dyn d[DYNAMIC_MAX];
	const struct nh_map *map = nh_space_map(s, image->dynamic);
	size_t room = map ? (map->end - image->dynamic) / sizeof(*d) : 0;
	size_t n = room < DYNAMIC_MAX ? room : DYNAMIC_MAX;

	*ret = (struct nh_dynamic){ 0 };
	if (!image->dynamic || !n || nh_mem_read(&s->mem, image->dynamic, d, n * sizeof(*d)))
		return false;
	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++) {
		/* The dynamic linker of glibc adds the load address in place, others do not. */
		uint64_t addr = d[i].d_un.d_ptr < image->start ? d[i].d_un.d_ptr + image->bias
							       : d[i].d_un.d_ptr;

		switch (d[i].d_tag) {
		case DT_SYMTAB:
			ret->symtab = addr;
			break;
		case DT_STRTAB:
			ret->strtab = addr;
			break;
		case DT_STRSZ:
			ret->strsz = d[i].d_un.d_val;
			break;
		case DT_HASH:
			ret->hash = addr;
			break;
		case DT_GNU_HASH:
			ret->gnu_hash = addr;
			break;
		default:
			break;
		}
	}
	return ret->symtab && ret->strtab && ret->strsz && ret->strsz <= STRINGS_MAX;
}

/* The GNU hash table does not say how many symbols there are: its last chain's end does. */
static uint32_t count_gnu(const struct nh_space *s, uint64_t addr)
{
	uint32_t h[4], last = 0, link = 0;
	nh_auto_free uint32_t *buckets = NULL;
	uint64_t at;

	if (nh_mem_read(&s->mem, addr, h, sizeof(h)) || !h[0] || h[0] > SYMS_MAX || h[2] > SYMS_MAX)
		return 0;
	at = addr + sizeof(h) + h[2] * 8ULL;
	buckets = malloc(h[0] * sizeof(*buckets));
	if (!buckets || nh_mem_read(&s->mem, at, buckets, h[0] * sizeof(*buckets)))
		return 0;
	for (uint32_t i = 0; i < h[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	at += h[0] * 4ULL;
	if (last < h[1])
		return h[1];
	for (; last < SYMS_MAX && !(link & 1); last++)
		if (nh_mem_read(&s->mem, at + (last - h[1]) * 4ULL, &link, sizeof(link)))
			return 0;
	return last;
}

static uint32_t count_symbols(const struct nh_space *s, const struct nh_dynamic *d)
{
	uint32_t h[2] = { 0 };

	if (d->gnu_hash)
		return count_gnu(s, d->gnu_hash);
	if (!d->hash || nh_mem_read(&s->mem, d->hash, h, sizeof(h)) || h[1] > SYMS_MAX)
		return 0;
	return h[1];
}

void nh_lookup_memory(struct nh_lookup *l, size_t n, struct nh_space *s,
	const struct nh_image *image, struct nh_arena *a)
{
	Elf64_Sym *syms;
	char *strings;
	struct nh_dynamic d;
	uint32_t count;

	if (!nh_dynamic_read(s, image, &d))
		return;
	count = count_symbols(s, &d);
	syms = malloc(count * sizeof(*syms) + 1);
	strings = malloc(d.strsz);
	if (count && syms && strings &&
		!nh_mem_read(&s->mem, d.symtab, syms, count * sizeof(*syms)) &&
		!nh_mem_read(&s->mem, d.strtab, strings, d.strsz)) {
		nh_lookup_table(l, n, syms, count, strings, d.strsz);
		for (size_t i = 0; i < n; i++)
			l[i].name = nh_arena_strdup(a, l[i].name);
	}
	free(strings);
	free(syms);
}
