#include "stack/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "proc/read.h"
#include "stack/unwind.h"

#define PAGE 4096U
/* Direct-mapped: bounds the memory, and collisions only cost a second read. */
#define NPAGES 4096U
#define MAPS_MAX (64U << 20)

struct nh_page {
	uint64_t addr;
	unsigned char *bytes; /* NULL = unused */
};

static int read_maps(struct nh_space *s)
{
	char *text;
	size_t pos = 0;
	struct nh_map map;
	ssize_t n = nh_read_whole(&s->arena, s->mem.dir, "maps", MAPS_MAX, &text, NULL);
	int rc;

	if (n < 0)
		return (int)n;
	while ((rc = nh_parse_map(text, (size_t)n, &pos, &map)) > 0)
		*nh_push(&s->arena, &s->maps) = map;
	return rc;
}

int nh_space_open(const struct nh_mem *mem, struct nh_space *ret)
{
	int rc;

	*ret = (struct nh_space){ .mem = *mem };
	rc = read_maps(ret);
	if (rc)
		return rc;
	ret->pages = nh_new(&ret->arena, struct nh_page, NPAGES);
	nh_space_find_images(ret);
	return nh_unwinder_new(ret);
}

void nh_space_close(struct nh_space *s)
{
	nh_unwinder_free(s);
	for (size_t i = 0; s->pages && i < NPAGES; i++)
		free(s->pages[i].bytes);
	nh_arena_free(&s->arena);
	*s = (struct nh_space){ 0 };
}

static int compare_map(const void *key, const void *item)
{
	const uint64_t *addr = key;
	const struct nh_map *m = item;

	return *addr < m->start ? -1 : *addr >= m->end;
}

const struct nh_map *nh_space_map(const struct nh_space *s, uint64_t addr)
{
	if (!s->maps.n)
		return NULL;
	return bsearch(&addr, s->maps.v, s->maps.n, sizeof(*s->maps.v), compare_map);
}

static int compare_image(const void *key, const void *item)
{
	const uint64_t *addr = key;
	const struct nh_image *i = item;

	return *addr < i->start ? -1 : *addr >= i->end;
}

struct nh_image *nh_space_image(const struct nh_space *s, uint64_t addr)
{
	if (!s->images.n)
		return NULL;
	return bsearch(&addr, s->images.v, s->images.n, sizeof(*s->images.v), compare_image);
}

static int load_page(struct nh_space *s, uint64_t addr, const unsigned char **ret)
{
	struct nh_page *page = &s->pages[addr / PAGE % NPAGES];
	const struct nh_map *map;
	int rc;

	if (!page->bytes || page->addr != addr) {
		map = nh_space_map(s, addr);
		if (!map)
			return -EFAULT;
		if (map->perms[1] == 'w')
			return -EAGAIN;
		if (!page->bytes)
			page->bytes = malloc(PAGE);
		if (!page->bytes)
			return -ENOMEM;
		page->addr = UINT64_MAX;
		rc = nh_mem_read(&s->mem, addr, page->bytes, PAGE);
		if (rc)
			return rc;
		page->addr = addr;
	}
	*ret = page->bytes;
	return 0;
}

int nh_space_read(struct nh_space *s, uint64_t addr, void *dst, size_t n)
{
	unsigned char *to = dst;

	if (addr + n < addr)
		return -EFAULT;
	while (n) {
		size_t at = addr % PAGE, part = PAGE - at < n ? PAGE - at : n;
		const unsigned char *bytes;
		int rc = load_page(s, addr - at, &bytes);

		if (rc)
			return rc;
		memcpy(to, bytes + at, part);
		to += part;
		addr += part;
		n -= part;
	}
	return 0;
}
