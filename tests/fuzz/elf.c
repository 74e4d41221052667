/* An ELF image in a process's memory, ours: headers, notes, unwind information, exports. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "replay.h"
#include "proc/read.h"
#include "stack/lookup.h"
#include "stack/table.h"
#include "stack/unwind.h"

#define STACK_BYTES 1024
#define PCS 16

/* Unwinds from some places in the image over a stack of addresses in the image. */
static void unwind(struct nh_space *s, const struct nh_image *image, struct nh_arena *a)
{
	static uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
	struct nh_stack_copy copy = { .sp = (uint64_t)(uintptr_t)stack + NH_RED_ZONE };
	uint64_t room = image->map_end - image->start;

	copy.part[0] = (struct nh_part){ (uint64_t)(uintptr_t)stack, sizeof(stack),
		(const unsigned char *)stack, false };
	for (size_t i = 0; i < STACK_BYTES / sizeof(*stack); i++)
		stack[i] =
			i % 3 ? image->start + i * 97 % room : (uint64_t)(uintptr_t)&stack[i + 2];
	for (uint64_t i = 0; i < PCS; i++) {
		struct nh_walk walk;

		copy.pc = image->start + room / PCS * i + 1;
		copy.regs[NH_REG_SP] = copy.sp;
		copy.regs[NH_REG_PC] = copy.pc;
		copy.regs[NH_REG_FP] = copy.sp + 64;
		copy.known = i % 2 ? UINT64_MAX : 1ULL << NH_REG_SP | 1ULL << NH_REG_PC;
		nh_unwind(s, &copy, a, &walk);
	}
}

static void look_up(struct nh_space *s, const struct nh_image *image, struct nh_arena *a)
{
	struct nh_lookup l[PCS] = { 0 };
	struct nh_elf file;

	for (uint64_t i = 0; i < PCS; i++)
		l[i].addr = image->start - image->bias + i * 256;
	nh_lookup_memory(l, PCS, s, image, a);
	if (!nh_elf_open(s, image, &file)) {
		nh_lookup_elf(l, PCS, file.elf, SHT_SYMTAB);
		nh_lookup_elf(l, PCS, file.elf, SHT_DYNSYM);
		nh_elf_close(&file);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nh_mem mem = { .pid = getpid(), .dir = nh_dir_open(AT_FDCWD, "/proc/self") };
	int fd = memfd_create("image", MFD_CLOEXEC);
	size_t room = (size | 4095) + 1;
	struct nh_space s;
	struct nh_arena a = { 0 };
	void *at = MAP_FAILED;

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size && !ftruncate(fd, (off_t)room))
		at = mmap(NULL, room, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED && !nh_space_open(&mem, &s)) {
		struct nh_image *image = nh_space_image(&s, (uint64_t)(uintptr_t)at);

		if (image) {
			nh_table_get(&s, image);
			unwind(&s, image, &a);
			look_up(&s, image, &a);
		}
		nh_space_close(&s);
		munmap(at, room);
	}
	nh_arena_free(&a);
	close(fd);
	close(mem.dir);
	return 0;
}
