#include "stack/export.h"

#include <string.h>
#include "stack/lookup.h"

#define NAME_MAX_BYTES 64
/* Chains of a few symbols are usual; a longer one is no hash table of a linker. */
#define CHAIN_MAX 4096U
#define SYMS_MAX (1U << 22)

struct exports {
	struct nh_space *space;
	const struct nh_image *image;
	struct nh_dynamic dynamic;
	const char *name;
	size_t len; /* with its NUL */
};

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t h = 0, high;

	while (*name) {
		h = (h << 4) + (unsigned char)*name++;
		high = h & 0xf0000000U;
		h = (h ^ high >> 24) & ~high;
	}
	return h;
}

static bool load(const struct exports *e, uint64_t addr, void *dst, size_t n)
{
	return !nh_space_read(e->space, addr, dst, n);
}

/* Address of the symbol of that index if it has the name and is defined. */
static uint64_t match(const struct exports *e, uint32_t i)
{
	char text[NAME_MAX_BYTES];
	Elf64_Sym sym;

	if (!load(e, e->dynamic.symtab + i * sizeof(sym), &sym, sizeof(sym)) ||
		sym.st_shndx == SHN_UNDEF || sym.st_name >= e->dynamic.strsz ||
		e->len > e->dynamic.strsz - sym.st_name ||
		!load(e, e->dynamic.strtab + sym.st_name, text, e->len))
		return 0;
	return memcmp(text, e->name, e->len) ? 0 : e->image->bias + sym.st_value;
}

static uint64_t find_gnu(const struct exports *e)
{
	uint32_t h[4], hash = gnu_hash(e->name), i,
		       link = 0; /* buckets, first, bloom words, shift */
	uint64_t buckets, found = 0;

	if (!load(e, e->dynamic.gnu_hash, h, sizeof(h)) || !h[0] || h[2] > SYMS_MAX)
		return 0;
	buckets = e->dynamic.gnu_hash + sizeof(h) + h[2] * 8ULL;
	if (!load(e, buckets + hash % h[0] * 4ULL, &i, sizeof(i)) || i < h[1])
		return 0;
	for (uint32_t n = 0; n < CHAIN_MAX && !found && !(link & 1); n++, i++) {
		if (!load(e, buckets + (h[0] + (uint64_t)i - h[1]) * 4, &link, sizeof(link)))
			return 0;
		if ((link | 1) == (hash | 1))
			found = match(e, i);
	}
	return found;
}

static uint64_t find_sysv(const struct exports *e)
{
	uint32_t h[2], i; /* buckets, symbols */
	uint64_t buckets = e->dynamic.hash + sizeof(h), found = 0;

	if (!load(e, e->dynamic.hash, h, sizeof(h)) || !h[0] ||
		!load(e, buckets + sysv_hash(e->name) % h[0] * 4ULL, &i, sizeof(i)))
		return 0;
	for (uint32_t n = 0; n < CHAIN_MAX && !found && i; n++) {
		found = match(e, i);
		if (!load(e, buckets + (h[0] + (uint64_t)i) * 4, &i, sizeof(i)))
			return found;
	}
	return found;
}

static uint64_t find_in_file(const struct exports *e)
{
	uint64_t found = 0;
	struct nh_elf file;
	Elf_Data *data = NULL;
	Elf_Scn *scn;
	GElf_Shdr sh;
	GElf_Sym sym;

	nh_elf_open(e->space, e->image, &file);
	scn = file.elf ? nh_elf_section(file.elf, NULL, SHT_SYMTAB, &sh) : NULL;
	if (scn)
		data = elf_getdata(scn, NULL);
	for (int i = 0; data && !found && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(file.elf, sh.sh_link, sym.st_name);

		if (name && sym.st_shndx != SHN_UNDEF && !strcmp(name, e->name))
			found = e->image->bias + sym.st_value;
	}
	nh_elf_close(&file);
	return found;
}

uint64_t nh_export_find(struct nh_space *s, const struct nh_image *image, const char *name)
{
	struct exports e = { .space = s, .image = image, .name = name, .len = strlen(name) + 1 };

	if (e.len > NAME_MAX_BYTES)
		return 0;
	if (!nh_dynamic_read(s, image, &e.dynamic))
		return find_in_file(&e);
	return e.dynamic.gnu_hash ? find_gnu(&e) : e.dynamic.hash ? find_sysv(&e) : 0;
}
