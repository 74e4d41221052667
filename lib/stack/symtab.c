#include "stack/lookup.h"

#include <string.h>

/* Several names share one address in most libraries (poll and __poll, ncclX and pncclX): prefers
 * the one without underscores and profiling prefix, then the more public; ties go to the alphabet.
 */
static int name_rank(const char *name, unsigned char info)
{
	int binding = ELF64_ST_BIND(info);
	int rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;

	if (name[0] == '_' && name[1] != 'Z')
		rank += name[1] == '_' ? 8 : 4;
	if (!strncmp(name, "pnccl", 5))
		rank += 4;
	return rank;
}

static bool better(const struct nh_lookup *l, const Elf64_Sym *sym, bool covers, const char *name)
{
	int rank;

	if (!l->name || covers != l->covers)
		return !l->name || covers;
	if (sym->st_value != l->start)
		return sym->st_value > l->start;
	rank = name_rank(name, sym->st_info);
	return rank != l->rank ? rank < l->rank : strcmp(name, l->name) < 0;
}

static void take(struct nh_lookup *l, const Elf64_Sym *sym, bool covers, const char *name)
{
	if (!better(l, sym, covers, name))
		return;
	l->name = name;
	l->start = sym->st_value;
	l->covers = covers;
	l->sized = sym->st_size != 0;
	l->rank = name_rank(name, sym->st_info);
}

/* The first lookup at or above addr. */
static size_t lower_bound(const struct nh_lookup *l, size_t n, uint64_t addr)
{
	size_t low = 0;

	while (n > low) {
		size_t mid = low + (n - low) / 2;

		if (l[mid].addr < addr)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

static bool is_function(const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF;
}

/* A table is passed over once, however many addresses are asked. */
void nh_lookup_table(struct nh_lookup *l, size_t n, const void *syms, size_t nsyms,
	const char *strings, size_t size)
{
	for (size_t i = 0; i < nsyms; i++) {
		Elf64_Sym sym; /* a file may have them at any address */
		const char *name;
		size_t at;

		memcpy(&sym, (const char *)syms + i * sizeof(sym), sizeof(sym));
		if (!is_function(&sym) || sym.st_name >= size)
			continue;
		at = lower_bound(l, n, sym.st_value);
		name = strings + sym.st_name;
		if (at == n || !memchr(name, '\0', size - sym.st_name))
			continue;
		take(&l[at], &sym, false, name);
		for (; at < n && l[at].addr - sym.st_value < sym.st_size; at++)
			take(&l[at], &sym, true, name);
	}
	/* What precedes one address precedes the next. */
	for (size_t i = 1; i < n; i++) {
		struct nh_lookup *before = &l[i - 1];

		if (!l[i].covers && before->name && (!l[i].name || before->start > l[i].start)) {
			l[i].name = before->name;
			l[i].start = before->start;
			l[i].sized = before->sized;
			l[i].rank = before->rank;
		}
	}
}

bool nh_lookup_elf(struct nh_lookup *l, size_t n, Elf *elf, uint32_t type)
{
	GElf_Shdr sh, strsh;
	Elf_Scn *scn = nh_elf_section(elf, NULL, type, &sh);
	Elf_Scn *strscn = scn ? elf_getscn(elf, sh.sh_link) : NULL;
	Elf_Data *syms, *strings;

	if (!strscn || !gelf_getshdr(strscn, &strsh) || strsh.sh_type != SHT_STRTAB)
		return false;
	syms = elf_getdata(scn, NULL);
	strings = elf_getdata(strscn, NULL);
	if (!syms || !strings || !syms->d_buf || !strings->d_buf)
		return false;
	nh_lookup_table(l, n, syms->d_buf, syms->d_size / sizeof(Elf64_Sym), strings->d_buf,
		strings->d_size);
	return true;
}
