#include "proc/mem.h"
#include "proc/read.h"
#include "proc/scan.h"

#include <errno.h>
#include <sys/uio.h>

#define RECORDED_MAX (16U << 20)

/* The bytes at `skip` of a line's hexadecimal digits; those before it are not looked at. */
static int hex_bytes(const struct nh_scan *s, uint64_t skip, unsigned char *dst, size_t n)
{
	const char *p = s->p + skip * 2;

	for (size_t i = 0; i < n; i++, p += 2) {
		unsigned high = nh_scan_digit(p[0]), low = nh_scan_digit(p[1]);

		if (high > 15 || low > 15)
			return -EINVAL;
		dst[i] = (unsigned char)(high << 4 | low);
	}
	return 0;
}

int nh_parse_memory(const char *buf, size_t len, uint64_t addr, void *dst, size_t n)
{
	struct nh_scan text = { buf, buf + len }, s;
	uint64_t start;

	while (nh_scan_line(&text, &s)) {
		if (!nh_scan_u64(&s, 16, &start) || !nh_scan_char(&s, ' '))
			return -EINVAL;
		uint64_t have = (uint64_t)(s.end - s.p) / 2;

		if (addr < start || addr - start >= have)
			continue;
		if (n > have - (addr - start))
			return -ENODATA;
		return hex_bytes(&s, addr - start, dst, n);
	}
	return -EFAULT;
}

static int read_recorded(const struct nh_mem *m, uint64_t addr, void *dst, size_t n)
{
	struct nh_arena arena = { 0 };
	char *text;
	ssize_t len = nh_read_whole(&arena, m->dir, "memory", RECORDED_MAX, &text, NULL);
	int rc = len < 0 ? (int)len : nh_parse_memory(text, (size_t)len, addr, dst, n);

	nh_arena_free(&arena);
	/* A process of which no memory was recorded. */
	return rc == -ENOENT ? -EFAULT : rc;
}

int nh_mem_read(const struct nh_mem *m, uint64_t addr, void *dst, size_t n)
{
	struct iovec local = { dst, n };
	struct iovec remote = { .iov_len = n };
	ssize_t got;

	if (m->recorded)
		return read_recorded(m, addr, dst, n);
	remote.iov_base = (void *)(uintptr_t)addr; /* NOLINT(performance-no-int-to-ptr) */
	got = process_vm_readv((pid_t)m->pid, &local, 1, &remote, 1, 0);
	if (got < 0)
		return -errno;
	return (size_t)got < n ? -ENODATA : 0;
}
