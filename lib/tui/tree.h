/* The processes of a host, children below their parents. */
#ifndef NH_TUI_TREE_H
#define NH_TUI_TREE_H

#include "tui/look.h"

/* Appends the processes of one case to l->processes. */
void nh_tree_add(struct nh_look *l, size_t host);

#endif
