/* Native and Python frames as one stack. */
#ifndef NH_PYTHON_MERGE_H
#define NH_PYTHON_MERGE_H

#include "python/python.h"

/* One frame of the merged stack. */
struct nh_merged {
	const struct nh_py_frame *py; /* NULL = native */
	size_t step;		      /* into the walk; of a Python frame, the one it replaces */
};

struct nh_merged_stack {
	struct nh_merged *v;
	size_t n;
	size_t unplaced; /* Python frames at the end whose place is not known */
};

/*
 * Puts the frames of each segment in the place of the native frame in which its anchor lies, or,
 * if no segment has one, in the place of the interpreter's C calls one by one (to 3.10; by name, so
 * the walk must have its symbols).  In the arena.
 */
void nh_py_merge(struct nh_arena *a, const struct nh_walk *walk, const struct nh_py_stack *py,
	struct nh_merged_stack *ret);

#endif
