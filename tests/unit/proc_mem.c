/* Memory of a live process, and of a recorded tree. */
#include "tap.h"
#include "proc/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void live(void)
{
	const struct nh_mem self = { .pid = getpid(), .dir = -1 };
	const struct nh_mem nobody = { .pid = 1 << 30, .dir = -1 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char buf[8];
	int rc;

	strcpy(two, "abcdefg");
	rc = nh_mem_read(&self, (uint64_t)(uintptr_t)two, buf, sizeof(buf));
	if (rc == -EPERM || rc == -ENOSYS) {
		ok(1 && "process_vm_readv # SKIP not permitted here");
		return;
	}
	ok(rc == 0);
	is(buf, "abcdefg");
	munmap(two + page, page);
	ok(nh_mem_read(&self, (uint64_t)(uintptr_t)two + page - 4, buf, 8) == -ENODATA);
	ok(nh_mem_read(&self, (uint64_t)(uintptr_t)two + page, buf, 8) == -EFAULT);
	ok(nh_mem_read(&self, UINT64_MAX - 3, buf, 8) == -EFAULT);
	ok(nh_mem_read(&nobody, (uint64_t)(uintptr_t)two, buf, 8) == -ESRCH);
}

static void recorded(void)
{
	static const char text[] = "1000 00112233\n7ffc00000000 DEADbeef\nfffffffffffffffe 0102\n";
	char path[] = "/tmp/ncclhang-mem-XXXXXX";
	unsigned char b[4];

	if (!ok(mkdtemp(path) != NULL))
		return;
	const struct nh_mem m = { .dir = open(path, O_RDONLY | O_DIRECTORY), .recorded = 1 };

	ok(nh_mem_read(&m, 0x1000, b, 4) == -EFAULT);
	int fd = openat(m.dir, "memory", O_WRONLY | O_CREAT, 0600);

	ok(write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	ok(nh_mem_read(&m, 0x1000, b, 4) == 0 && !memcmp(b, "\x00\x11\x22\x33", 4));
	ok(nh_mem_read(&m, 0x7ffc00000001, b, 2) == 0 && !memcmp(b, "\xad\xbe", 2));
	ok(nh_mem_read(&m, 0xfffffffffffffffe, b, 2) == 0 && b[1] == 2);
	ok(nh_mem_read(&m, 0x1001, b, 4) == -ENODATA);
	ok(nh_mem_read(&m, 0xfff, b, 4) == -EFAULT);
	ok(nh_mem_read(&m, 0x1004, b, 1) == -EFAULT);
	ok(nh_parse_memory("1000 0x\n", 8, 0x1000, b, 1) == -EINVAL);
	ok(nh_parse_memory("what\n", 5, 0x1000, b, 1) == -EINVAL);
	unlinkat(m.dir, "memory", 0);
	close(fd);
	close(m.dir);
	rmdir(path);
}

int main(void)
{
	live();
	recorded();
	return done();
}
