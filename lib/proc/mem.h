/* Memory of another process, without stopping it. */
#ifndef NH_PROC_MEM_H
#define NH_PROC_MEM_H

#include <stddef.h>
#include <stdint.h>

struct nh_mem {
	int64_t pid;  /* live: read by process_vm_readv(2) */
	int dir;      /* the process directory */
	int recorded; /* 1: a recorded tree, read from its "memory" file instead */
};

/*
 * Reads n bytes at addr.  0, or a negative errno: -EPERM without ptrace access, -EFAULT where
 * nothing is mapped, -ENODATA for a partly readable range.
 * A recorded tree's PID/memory holds lines "HEXADDRESS HEXBYTES"; the range must lie in one line.
 */
int nh_mem_read(const struct nh_mem *m, uint64_t addr, void *dst, size_t n);
/* The same from the text of such a "memory" file; -EINVAL if it is not one. */
int nh_parse_memory(const char *buf, size_t len, uint64_t addr, void *dst, size_t n);

#endif
