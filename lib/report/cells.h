/* Text on a grid of terminal cells, whatever the locale. */
#ifndef NH_REPORT_CELLS_H
#define NH_REPORT_CELLS_H

#include <stddef.h>
#include "base/arena.h"

/* Cells that the first n bytes of s take: 2 for wide East Asian characters and emoji, 0 for
 * combining marks, 1 for everything else (an invalid byte included). */
size_t nh_cells(const char *s, size_t n);
/* Bytes of s, whole characters, that fit into so many cells. */
size_t nh_cells_fit(const char *s, size_t cells);
/* The same counted from the end of s. */
size_t nh_cells_fit_end(const char *s, size_t cells);
/* s with its middle replaced by "..." if it takes more than so many cells (at least 5). */
const char *nh_shorten(struct nh_arena *a, const char *s, size_t cells);

#endif
