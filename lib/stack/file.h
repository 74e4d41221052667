/* The files behind an image: the one that is mapped, and the one with its debug information. */
#ifndef NH_STACK_FILE_H
#define NH_STACK_FILE_H

#include <elfutils/libdw.h>
#include "stack/space.h"

/* An ELF object and what it needs to stay readable. */
struct nh_elf {
	Elf *elf;
	int fd;
	void *bytes; /* of an unpacked .gnu_debugdata */
};

/*
 * The mapped file itself, never another one that took its name: through map_files, else by path in
 * the process's root, where inode (and build id, if any) must agree.  Mapped, not read.
 * 0, -ENOENT or -ESTALE (replaced), or another negative errno.
 */
int nh_elf_open(const struct nh_space *s, const struct nh_image *image, struct nh_elf *ret);
/* Its debug file by build id, below /usr/lib/debug of our root, else of the process's; else, until
 * that time on nh_now_ms's clock (0 = not at all), from a debuginfod server.  -ENOENT. */
int nh_elf_open_debug(const struct nh_space *s, const struct nh_image *image,
	int64_t debuginfod_until_ms, struct nh_elf *ret);
/* The symbol table that Fedora and its kin keep, packed, in the .gnu_debugdata section.  -ENOENT.
 */
int nh_elf_open_mini(Elf *elf, struct nh_elf *ret);
/* Safe on a zeroed one. */
void nh_elf_close(struct nh_elf *e);

/* The section of that name, or of that type if name is NULL; NULL if absent or empty. */
Elf_Scn *nh_elf_section(Elf *elf, const char *name, uint32_t type, GElf_Shdr *ret);

#endif
