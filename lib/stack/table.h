/* The search table of an image's unwind information: .eh_frame_hdr where the linker made one, else
 * an index of the file's .eh_frame (static programs of gcc have no header). */
#ifndef NH_STACK_TABLE_H
#define NH_STACK_TABLE_H

#include "stack/space.h"

/* Indexes of our own are served from addresses no process has. */
#define NH_TABLE_BASE 0xfff0000000000000ULL

/* Looks once per image.  NULL = there is no unwind information. */
const struct nh_table *nh_table_get(struct nh_space *s, struct nh_image *image);
/* Serves a word of an own index: addr lies at or above NH_TABLE_BASE.  False outside of any. */
bool nh_table_word(const struct nh_space *s, uint64_t addr, uint64_t *ret);

#endif
