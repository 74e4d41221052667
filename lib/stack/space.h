/*
 * The address space of one process as the unwinder sees it: its mappings, the ELF images in them,
 * and a cache of its read-only pages.  Images are read from the process's memory, so that a library
 * that was deleted or replaced on disk unwinds like any other.
 */
#ifndef NH_STACK_SPACE_H
#define NH_STACK_SPACE_H

#include <stdbool.h>
#include "base/vec.h"
#include "proc/mem.h"
#include "proc/parse.h"

/* Where the search table of an image's unwind information lies (see stack/table.h). */
struct nh_table {
	bool looked;
	uint64_t segbase; /* entries are relative to it; 0 = the image has no unwind information */
	uint64_t entries; /* address of the sorted pairs of 32-bit (pc, FDE) offsets */
	uint64_t count;
	struct nh_pair *own; /* our own, served at `entries`; NULL = the image's own */
};

/* A mapped 64-bit ELF file.  Everything but inode and path comes from its headers in memory. */
struct nh_image {
	const char *path;     /* as in maps, without " (deleted)"; "[vdso]" */
	const char *build_id; /* hexadecimal; NULL = it has none */
	const char *key;      /* equal for equal files: build id, else inode and path */
	uint64_t inode;
	uint64_t start, end;		/* first and last address of its segments */
	uint64_t map_end;		/* end of the mapping at start, as map_files names it */
	uint64_t bias;			/* address - address in the file's own numbering */
	uint64_t eh_frame_hdr, dynamic; /* addresses, 0 = none */
	bool deleted;
	struct nh_table table;
};

struct nh_space {
	struct nh_arena arena;
	struct nh_mem mem;
	bool foreign;			/* a 32-bit program: cannot be unwound */
	NH_VEC(struct nh_map) maps;	/* by address */
	NH_VEC(struct nh_image) images; /* by address */
	struct nh_page *pages;
	struct nh_unwinder *unwinder; /* stack/unwind.h */
};

/* mem.dir is the process directory and stays the caller's.  0 or a negative errno (-EPERM, -ESRCH);
 * end with nh_space_close in any case. */
int nh_space_open(const struct nh_mem *mem, struct nh_space *ret);
void nh_space_close(struct nh_space *s);

/* The mapping or image at addr, or NULL. */
const struct nh_map *nh_space_map(const struct nh_space *s, uint64_t addr);
struct nh_image *nh_space_image(const struct nh_space *s, uint64_t addr);
/* Reads memory that does not change: n bytes through the page cache, only from mappings that are
 * not writable.  0, -EFAULT, or -EAGAIN: the mapping is writable. */
int nh_space_read(struct nh_space *s, uint64_t addr, void *dst, size_t n);

/* stack/image.c: finds the images; part of nh_space_open. */
void nh_space_find_images(struct nh_space *s);

#endif
