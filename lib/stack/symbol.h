/*
 * Function names for the frames of walks, all threads and processes at once: a file is opened once
 * for all addresses that are asked of it, and each (file, address) is looked up once ever.
 */
#ifndef NH_STACK_SYMBOL_H
#define NH_STACK_SYMBOL_H

#include "stack/unwind.h"

/*
 * A name for an address.  Where functions were inlined the innermost comes first and `outer` leads
 * to the function it was inlined into; the last is the one that really has a frame.
 */
struct nh_symbol {
	const char *name; /* demangled, whole */
	uint64_t offset;  /* from the symbol's start; 0 in inlined functions */
	bool inlined;	  /* into outer */
	bool nearest;	/* only the nearest export before the address: it may be another function */
	bool generated; /* from the perf map a just-in-time compiler wrote */
	const struct nh_symbol *outer;
};

struct nh_symbols {
	struct nh_arena *arena;
	int64_t debuginfod_until_ms; /* ask debuginfod servers until then (nh_now_ms); 0 = never */
	NH_VEC(struct nh_symbol_file) files;
};

/* Sets every step's symbol; steps without any name keep NULL.  s remembers: use one for all
 * processes.  Starts as { .arena = … }, which names and symbols live in. */
void nh_symbols_resolve(
	struct nh_symbols *s, struct nh_space *space, struct nh_walk *const *walks, size_t n);

#endif
