#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/nccl.h"
#include "know/nccl_versions.h"
#include "proc/read.h"

enum { MAPS_MAX = 64 << 20, BUILD_ID_MAX = 64 };

/* The NT_GNU_BUILD_ID of an open ELF file as hex digits, or NULL. */
static const char *build_id(struct nh_arena *a, int fd)
{
	const char *found = NULL;
	size_t nph = 0;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (!elf)
		return NULL;
	elf_getphdrnum(elf, &nph);
	for (size_t i = 0; i < nph && !found; i++) {
		GElf_Phdr ph;
		GElf_Nhdr nh;
		size_t name, desc, off = 0;
		Elf_Data *d;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		d = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
			ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		while (d && !found && (off = gelf_getnote(d, off, &nh, &name, &desc)) > 0) {
			if (nh.n_type != NT_GNU_BUILD_ID || nh.n_descsz > BUILD_ID_MAX ||
				nh.n_namesz != 4 || memcmp((char *)d->d_buf + name, "GNU", 4) != 0)
				continue;

			char *hex = nh_new(a, char, nh.n_descsz * 2 + 1);

			for (size_t b = 0; b < nh.n_descsz; b++)
				sprintf(hex + 2 * b, "%02x", ((unsigned char *)d->d_buf)[desc + b]);
			found = hex;
		}
	}
	elf_end(elf);
	return found;
}

/*
 * The very file that is mapped: by map_files, which reaches deleted and replaced files too but
 * needs CAP_CHECKPOINT_RESTORE; else by its path as the process sees it, if the inode agrees.
 */
static int open_mapped(struct nh_subject *s, const struct nh_map *m)
{
	char path[4352];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "map_files/%jx-%jx", (uintmax_t)m->start, (uintmax_t)m->end);
	fd = openat(s->live, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || m->deleted || m->path_len > 4096)
		return fd;
	snprintf(path, sizeof(path), "root%.*s", (int)m->path_len, m->path);
	fd = openat(s->live, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != m->inode || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* What was read of the same file before, in whichever process; false if it was not. */
static bool known(const struct nh_collector *k, const struct nh_map *m, struct nh_module *ret)
{
	nh_for(mod, &k->c->modules)
		if (mod->inode == (int64_t)m->inode && (mod->build_id || mod->nccl) && mod->path &&
			strlen(mod->path) == m->path_len &&
			!memcmp(mod->path, m->path, m->path_len)) {
			*ret = *mod;
			return true;
		}
	return false;
}

/* Workers of a job are many and map what their rank maps: of those only what may be an NCCL. */
static bool wanted(const struct nh_subject *s, const struct nh_map *m, uint64_t exe)
{
	char path[4097];

	if (m->perms[2] != 'x' || !m->path_len || !m->inode)
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)m->path_len, m->path);
	return s->why != NH_WHY_DESCENDANT || m->inode == exe || nh_is_training_library(path);
}

/* head is where the file's first byte is mapped; 0 = not seen. */
static void add_module(struct nh_collector *k, struct nh_subject *s, const struct nh_map *m,
	uint64_t head, uint64_t exe)
{
	struct nh_module row = { .path = nh_utf8_repair(k->a, m->path, m->path_len) };

	nh_row_init(&nh_module_type, &row);
	if (!known(k, m, &row) && nh_mark_begin(k->mark, s->pid, "mapped files")) {
		nh_auto_close int fd = open_mapped(s, m);

		if (fd >= 0)
			row.build_id = build_id(k->a, fd);
		nh_read_nccl(k, s, fd, head, m->inode == exe, &row);
	}
	row.pid = s->pid;
	row.base = m->start - m->offset;
	row.end = m->end;
	row.inode = (int64_t)m->inode;
	row.deleted = m->deleted;
	if (row.nccl)
		s->nccl = nh_nccl_version_parse(row.nccl);
	if (row.nccl || s->why != NH_WHY_DESCENDANT)
		*nh_push(k->a, &k->c->modules) = row;
}

void nh_read_modules(struct nh_collector *k, struct nh_subject *s)
{
	struct nh_arena tmp = { 0 };
	char *maps = NULL;
	struct nh_map m, head = { 0 };
	struct stat exe = { 0 };

	if (!nh_mark_begin(k->mark, s->pid, "maps"))
		return;
	elf_version(EV_CURRENT);

	ssize_t n = nh_read_whole(&tmp, s->live, "maps", MAPS_MAX, &maps, NULL);

	if (n < 0)
		nh_gap_errno(k, s->pid, "memory map", (int)-n, false);
	if (fstatat(s->live, "exe", &exe, 0))
		exe.st_ino = 0;
	for (size_t pos = 0; n > 0 && nh_parse_map(maps, (size_t)n, &pos, &m) > 0;) {
		if (!m.offset)
			head = m;
		if (wanted(s, &m, exe.st_ino))
			add_module(k, s, &m, head.inode == m.inode ? head.start : 0, exe.st_ino);
	}
	nh_arena_free(&tmp);
}
