/* A mapped file that may be an NCCL: any bytes, as a file and as they lie in memory. */
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "replay.h"
#include "base/clock.h"
#include "collect/internal.h"

static void read_one(struct nh_collector *k, int fd, uint64_t head)
{
	struct nh_subject s = { .pid = getpid(), .live_tid = getpid(), .dir = -1, .live = -1 };
	struct nh_module row = { .path = "/x/libnccl.so.2.17.1" };

	nh_read_nccl(k, &s, fd, head, true, &row);
	/* Its name tells at least. */
	if (!row.nccl || !row.nccl_from)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nh_arena a = { 0 };
	struct nh_mark mark = { 0 };
	struct nh_collect_opts o = { .timeout_ms = 10000 };
	struct nh_case c = { .arena = &a };
	struct nh_collector k = { .a = &a, .o = &o, .c = &c, .mark = &mark, .root = -1 };
	int fd = memfd_create("nccl", MFD_CLOEXEC);

	k.began_ms = nh_now_ms();
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	elf_version(EV_CURRENT);
	read_one(&k, fd, 0);
	read_one(&k, -1, (uintptr_t)data);
	read_one(&k, -1, 0);
	close(fd);
	nh_arena_free(&a);
	return 0;
}
