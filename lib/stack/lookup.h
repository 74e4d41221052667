/* One batch of addresses of one file on its way through the sources of names. */
#ifndef NH_STACK_LOOKUP_H
#define NH_STACK_LOOKUP_H

#include <elfutils/libdw.h>
#include "stack/file.h"
#include "stack/symbol.h"

struct nh_lookup {
	uint64_t addr;	  /* in the file's numbering */
	const char *name; /* of the best symbol so far, in the source's memory or the arena */
	uint64_t start;
	bool covers; /* the symbol's size says that addr is in it */
	bool sized;  /* it has one; assembler functions may not and reach to the next symbol */
	int rank;    /* of the name among those of one function: less is better */
	const struct nh_symbol *inlines; /* innermost first; their last outer is still NULL */
};

/* Improves the lookups, sorted by addr, by nsyms Elf64_Sym.  Names point into strings. */
void nh_lookup_table(struct nh_lookup *l, size_t n, const void *syms, size_t nsyms,
	const char *strings, size_t size);
/* The same with the named table of an ELF file (SHT_SYMTAB, SHT_DYNSYM).  False: it has none. */
bool nh_lookup_elf(struct nh_lookup *l, size_t n, Elf *elf, uint32_t type);
/* The same with the .dynsym that the dynamic linker uses, from the process's memory, for images
 * whose file is gone.  Names are copied to a. */
void nh_lookup_memory(struct nh_lookup *l, size_t n, struct nh_space *s,
	const struct nh_image *image, struct nh_arena *a);

/* The entries of PT_DYNAMIC that matter, as addresses; 0 = absent. */
struct nh_dynamic {
	uint64_t symtab, strtab, strsz, hash, gnu_hash;
};
/* From the process's memory; false if the image exports nothing. */
bool nh_dynamic_read(
	const struct nh_space *s, const struct nh_image *image, struct nh_dynamic *ret);

/* Adds the inlined functions that debug information knows of. */
void nh_lookup_inlines(struct nh_lookup *l, size_t n, Dwarf *dw, struct nh_arena *a);

/* The C++ name as written in the source, else name itself, in a. */
const char *nh_demangle(struct nh_arena *a, const char *name);

/* Names for steps outside every image, sorted by the address of their call, from /tmp/perf-PID.map
 * in the process's root. */
void nh_lookup_generated(struct nh_space *s, struct nh_step **steps, size_t n, struct nh_arena *a);

#endif
