/* The Python side of one subject: its interpreters as rows, its frames for its stacks. */
#ifndef NH_COLLECT_PYTHON_H
#define NH_COLLECT_PYTHON_H

#include "collect/internal.h"
#include "python/merge.h"

struct nh_subject_python {
	struct nh_python py;
	struct nh_py_state state;
	struct nh_chain (*chains)[NH_CHAINS]; /* by thread; NULL = there is no Python to be read */
};

/* Looks for CPython in the subject, whose threads of this sample are the n rows from first on.
 * Adds its interpreters' rows, or a gap where they cannot be read.  space must outlive ret. */
void nh_read_python(struct nh_collector *k, const struct nh_subject *s, struct nh_space *space,
	size_t first, size_t n, struct nh_subject_python *ret);
/* Every subject's interpreters, in samples that take no stacks. */
void nh_read_interpreters(struct nh_collector *k);

/* The stack of its i-th thread with the Python frames in it; *why: what is wrong with them. */
void nh_merge_python(struct nh_collector *k, struct nh_subject_python *p, size_t i,
	const struct nh_walk *walk, struct nh_merged_stack *ret, const char **why);

#endif
