#include "stack/symbol.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "stack/lookup.h"

#define NAME_MAX_BYTES 8192
#define PACKED_DEBUG_MAX (64U << 20)

struct known {
	uint64_t addr;
	const struct nh_symbol *symbol;
};

struct nh_symbol_file {
	const char *key;
	NH_VEC(struct known) known; /* by addr */
};

/* From the C++ runtime, whose header is C++. */
char *cxx_demangle(const char *name, char *buf, size_t *size, int *status) __asm__(
	"__cxa_demangle");

const char *nh_demangle(struct nh_arena *a, const char *name)
{
	size_t n = strnlen(name, NAME_MAX_BYTES + 1);
	char *plain = NULL;
	const char *ret;

	if (n <= NAME_MAX_BYTES && nh_starts_with(name, "_Z"))
		plain = cxx_demangle(name, NULL, NULL, NULL);
	ret = plain ? nh_utf8_repair(a, plain, strlen(plain)) : nh_utf8_repair(a, name, n);
	free(plain);
	return ret;
}

/* A return address may lie behind the last instruction of its function. */
static uint64_t lookup_addr(const struct nh_step *step)
{
	return (step->image ? step->offset : step->pc) - step->call;
}

/* Whether inlined functions are worth their price: not in the C library, where they are helpers of
 * the function that was called. */
static bool wanted_debug(Elf *elf, const struct nh_image *image)
{
	static const char *const plain[] = { "libc.so", "libc-2", "libpthread", "ld-linux" };
	const char *slash = strrchr(image->path, '/');
	const char *base = slash ? slash + 1 : image->path;
	GElf_Shdr sh;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (nh_starts_with(base, plain[i]))
			return false;

	/* Packed sections would be unpacked whole. */
	return nh_elf_section(elf, ".debug_info", 0, &sh) &&
	       (!(sh.sh_flags & SHF_COMPRESSED) || sh.sh_size <= PACKED_DEBUG_MAX);
}

static void add_inlines(
	struct nh_lookup *l, size_t n, Elf *elf, const struct nh_image *image, struct nh_arena *a)
{
	Dwarf *dw;

	if (!elf || !wanted_debug(elf, image))
		return;
	dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dw)
		return;
	nh_lookup_inlines(l, n, dw, a);
	dwarf_end(dw);
}

static const struct nh_symbol *make_symbol(const struct nh_lookup *l, struct nh_arena *a)
{
	struct nh_symbol *sym, *in;

	if (!l->name)
		return l->inlines;
	sym = nh_new(a, struct nh_symbol, 1);
	/* The link editor notes versions as poll@@GLIBC_2.2.5. */
	sym->name = nh_demangle(a, nh_arena_strndup(a, l->name, strcspn(l->name, "@")));
	sym->offset = l->start ? l->addr - l->start : 0;
	sym->nearest = l->start && !l->covers && l->sized;
	if (!l->inlines)
		return sym;
	for (in = (struct nh_symbol *)l->inlines; in->outer;)
		in = (struct nh_symbol *)in->outer;
	in->outer = sym;
	return l->inlines;
}

/* The mapped file's own symbols, its debug file's, those packed into it, its exports: the first
 * full table will do.  Debug information adds what was inlined. */
static void look_up(struct nh_symbols *s, struct nh_space *space, const struct nh_image *image,
	struct nh_lookup *l, size_t n)
{
	struct nh_elf file, debug, mini = { .fd = -1 };
	struct nh_arena *a = s->arena;
	bool full = false;

	nh_elf_open(space, image, &file);
	if (file.elf)
		full = nh_lookup_elf(l, n, file.elf, SHT_SYMTAB);
	nh_elf_open_debug(space, image, full ? 0 : s->debuginfod_until_ms, &debug);
	if (!full && debug.elf)
		full = nh_lookup_elf(l, n, debug.elf, SHT_SYMTAB);
	if (!full && file.elf) {
		nh_lookup_elf(l, n, file.elf, SHT_DYNSYM);
		if (!nh_elf_open_mini(file.elf, &mini))
			nh_lookup_elf(l, n, mini.elf, SHT_SYMTAB);
	} else if (!full) {
		nh_lookup_memory(l, n, space, image, a);
	}
	add_inlines(l, n, file.elf, image, a);
	add_inlines(l, n, debug.elf, image, a);
	for (size_t i = 0; i < n; i++)
		l[i].inlines = make_symbol(&l[i], a);
	nh_elf_close(&mini);
	nh_elf_close(&debug);
	nh_elf_close(&file);
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b; /* both structs begin with the address */

	return (*x > *y) - (*x < *y);
}

static struct known *find_known(const struct nh_symbol_file *f, uint64_t addr)
{
	return f->known.n ? bsearch(&addr, f->known.v, f->known.n, sizeof(*f->known.v), by_addr)
			  : NULL;
}

static struct nh_symbol_file *get_file(struct nh_symbols *s, const char *key)
{
	struct nh_symbol_file *f;

	nh_for(it, &s->files)
		if (!strcmp(it->key, key))
			return it;
	f = nh_push(s->arena, &s->files);
	f->key = nh_arena_strdup(s->arena, key);
	return f;
}

/* Steps of one image, sorted by lookup address. */
static void resolve_image(
	struct nh_symbols *s, struct nh_space *space, struct nh_step **steps, size_t n)
{
	const struct nh_image *image = steps[0]->image;
	struct nh_symbol_file *f = get_file(s, image->key);
	struct nh_lookup *l = calloc(n, sizeof(*l));
	size_t fresh = 0;

	for (size_t i = 0; i < n && l; i++) {
		uint64_t addr = lookup_addr(steps[i]);

		if ((!fresh || l[fresh - 1].addr != addr) && !find_known(f, addr))
			l[fresh++].addr = addr;
	}
	if (fresh)
		look_up(s, space, image, l, fresh);
	for (size_t i = 0; i < fresh; i++)
		*nh_push(s->arena, &f->known) = (struct known){ l[i].addr, l[i].inlines };
	if (fresh)
		qsort(f->known.v, f->known.n, sizeof(*f->known.v), by_addr);
	for (size_t i = 0; i < n; i++) {
		const struct known *k = find_known(f, lookup_addr(steps[i]));

		steps[i]->symbol = k ? k->symbol : NULL;
	}
	free(l);
}

static int by_image(const void *a, const void *b)
{
	const struct nh_step *x = *(struct nh_step *const *)a, *y = *(struct nh_step *const *)b;

	if (x->image != y->image)
		return (uintptr_t)x->image < (uintptr_t)y->image ? -1 : 1;
	return (lookup_addr(x) > lookup_addr(y)) - (lookup_addr(x) < lookup_addr(y));
}

void nh_symbols_resolve(
	struct nh_symbols *s, struct nh_space *space, struct nh_walk *const *walks, size_t n)
{
	struct nh_step **steps;
	size_t total = 0, end;

	for (size_t i = 0; i < n; i++)
		total += walks[i]->n;
	steps = malloc(total * sizeof(struct nh_step *) + 1);
	if (!steps)
		return;
	total = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < walks[i]->n; k++)
			steps[total++] = &walks[i]->v[k];
	qsort(steps, total, sizeof(*steps), by_image);
	for (size_t i = 0; i < total; i = end) {
		for (end = i + 1; end < total && steps[end]->image == steps[i]->image;)
			end++;
		if (steps[i]->image)
			resolve_image(s, space, steps + i, end - i);
		else
			nh_lookup_generated(space, steps + i, end - i, s->arena);
	}
	free(steps);
}
