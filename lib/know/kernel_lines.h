/* Lines of the kernel's log that tell why a job hangs. */
#ifndef NH_KNOW_KERNEL_LINES_H
#define NH_KNOW_KERNEL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include "model/kernel.h"

/* A part of the line; not NUL-terminated. */
struct nh_kernel_word {
	const char *s;
	size_t n;
};

struct nh_kernel_line {
	int kind;	     /* enum nh_kernel_kind */
	int64_t pid, number; /* NH_UNKNOWN where the line has none */
	struct nh_kernel_word comm, cgroup, device;
};

/* Whether a line, of n bytes and without its newline, is one of them. */
bool nh_kernel_line_of(const char *s, size_t n, struct nh_kernel_line *ret);

/* What an Xid means, for a person; NULL for one that ends no job. */
const char *nh_xid_words(int64_t xid);

#endif
