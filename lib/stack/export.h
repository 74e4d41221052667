/* The address of a symbol, the other way round from stack/symbol.h. */
#ifndef NH_STACK_EXPORT_H
#define NH_STACK_EXPORT_H

#include "stack/space.h"

/*
 * Where an image defines that name, or 0.  Looked up as the dynamic linker does, in the process's
 * memory; a static program, which exports nothing, by the symbol table of its file.
 */
uint64_t nh_export_find(struct nh_space *s, const struct nh_image *image, const char *name);

#endif
