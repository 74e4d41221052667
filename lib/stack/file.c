#include "stack/file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "proc/read.h"
#include "stack/debuginfod.h"

#define MINI_MAX (256U << 20)
#define LZMA_MEMORY (128U << 20)

/* Whether the file carries the build id of the image in memory. */
static bool same_build(Elf *elf, const struct nh_image *image)
{
	const unsigned char *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, (const void **)&id);

	if (!image->build_id)
		return true;
	if (n <= 0 || strlen(image->build_id) != (size_t)n * 2)
		return false;
	for (ssize_t i = 0; i < n; i++) {
		char two[3];

		snprintf(two, sizeof(two), "%02x", id[i]);
		if (memcmp(two, image->build_id + 2 * i, 2) != 0)
			return false;
	}
	return true;
}

/* Takes fd. */
static int begin(int fd, const struct nh_image *image, struct nh_elf *ret)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && same_build(elf, image)) {
		ret->fd = fd;
		ret->elf = elf;
		return 0;
	}
	elf_end(elf);
	close(fd);
	return -ESTALE;
}

int nh_elf_open(const struct nh_space *s, const struct nh_image *image, struct nh_elf *ret)
{
	struct stat st;
	char path[4200];
	int fd;

	*ret = (struct nh_elf){ .fd = -1 };
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)image->start,
		(unsigned long long)image->map_end);
	fd = nh_file_open(s->mem.dir, path);
	if (fd < 0) {
		snprintf(path, sizeof(path), "root%s", image->path);
		fd = image->path[0] == '/' ? nh_file_open(s->mem.dir, path) : -ENOENT;
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_ino != image->inode) {
		close(fd);
		return -ESTALE;
	}
	return begin(fd, image, ret);
}

int nh_elf_open_debug(const struct nh_space *s, const struct nh_image *image,
	int64_t debuginfod_until_ms, struct nh_elf *ret)
{
	static const char *const roots[] = { "", "root" };
	const char *id = image->build_id;
	struct stat st;
	char path[256];

	*ret = (struct nh_elf){ .fd = -1 };
	for (size_t i = 0; id && i < sizeof(roots) / sizeof(*roots); i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", roots[i],
			id, id + 2);
		fd = nh_file_open(s->mem.dir, path);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) || !S_ISREG(st.st_mode))
			close(fd);
		else if (!begin(fd, image, ret))
			return 0;
	}
	if (id && debuginfod_until_ms) {
		int fd = nh_debuginfod_open(id, debuginfod_until_ms);

		return fd < 0 ? fd : begin(fd, image, ret);
	}
	return -ENOENT;
}

Elf_Scn *nh_elf_section(Elf *elf, const char *name, uint32_t type, GElf_Shdr *ret)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, ret) || ret->sh_type == SHT_NOBITS || !ret->sh_size)
			continue;
		found = name ? elf_strptr(elf, strings, ret->sh_name) : NULL;
		if (name ? found && !strcmp(found, name) : ret->sh_type == type)
			return scn;
	}
	return NULL;
}

/* The size unpacked is not written anywhere before the data: grows until it fits. */
static int unpack(const Elf_Data *packed, void **ret, size_t *size)
{
	for (size_t cap = packed->d_size * 8; cap < MINI_MAX; cap *= 2) {
		uint64_t memory = LZMA_MEMORY;
		size_t in = 0, out = 0;
		void *buf = malloc(cap);
		lzma_ret rc;

		if (!buf)
			return -ENOMEM;
		rc = lzma_stream_buffer_decode(
			&memory, 0, NULL, packed->d_buf, &in, packed->d_size, buf, &out, cap);
		if (rc == LZMA_OK) {
			*ret = buf;
			*size = out;
			return 0;
		}
		free(buf);
		if (rc != LZMA_BUF_ERROR)
			break;
	}
	return -EINVAL;
}

int nh_elf_open_mini(Elf *elf, struct nh_elf *ret)
{
	GElf_Shdr sh;
	Elf_Scn *scn = nh_elf_section(elf, ".gnu_debugdata", 0, &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t size = 0;
	int rc;

	*ret = (struct nh_elf){ .fd = -1 };
	if (!data || !data->d_buf)
		return -ENOENT;
	rc = unpack(data, &ret->bytes, &size);
	if (rc)
		return rc;
	ret->elf = elf_memory(ret->bytes, size);
	if (ret->elf)
		return 0;
	nh_elf_close(ret);
	return -EINVAL;
}

void nh_elf_close(struct nh_elf *e)
{
	if (e->elf)
		elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e->bytes);
	*e = (struct nh_elf){ .fd = -1 };
}
