#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fake.h"

/* jmp *0(%rip), the address behind it */
static const unsigned char jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

static int redirect(char *from, const void *to)
{
	char *page = from - ((uintptr_t)from & 4095);

	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		return -errno;
	memcpy(from, jump, sizeof(jump));
	memcpy(from + sizeof(jump), &to, sizeof(to));
	return mprotect(page, 8192, PROT_READ | PROT_EXEC) ? -errno : 0;
}

static int redirect_all(const Elf64_Sym *s, size_t n, const char *names, char *base)
{
	int done = 0;

	for (; n--; s++) {
		const char *name = names + s->st_name;
		void *fake;
		int ret;

		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || strncmp(name, "cuda", 4) != 0 ||
			s->st_size < sizeof(jump) + sizeof(fake))
			continue;
		fake = fake_find(name);
		ret = redirect(base + s->st_value, fake ? fake : (void *)fake_refuse);
		if (ret)
			return ret;
		done++;
	}
	return done ? done : -ENOENT;
}

int fake_patch(const char *file, char *base)
{
	int ret = -ENOENT, fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const char *map;
	const Elf64_Ehdr *e;
	const Elf64_Shdr *s;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -errno;
	e = (const void *)map;
	s = (const void *)(map + e->e_shoff);
	for (int i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == SHT_SYMTAB)
			ret = redirect_all((const void *)(map + s[i].sh_offset),
				s[i].sh_size / sizeof(Elf64_Sym), map + s[s[i].sh_link].sh_offset,
				base);
	munmap((void *)map, (size_t)st.st_size);
	return ret;
}
