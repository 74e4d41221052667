/*
 * Which NCCL a mapped file is.  Only what its exports, its constants and its name say: nothing in
 * the process is called.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "collect/internal.h"
#include "know/nccl.h"
#include "know/nccl_versions.h"

enum {
	PHDRS_MAX = 64,
	DYNAMIC_MAX = 256,
	CHAIN_MAX = 1 << 16,
	IMPORTS_MAX = 1 << 16,
	CODE = 32, /* bytes of ncclGetVersion that matter */
	CHUNK = 1 << 20,
	OVERLAP = 128, /* longer than any version string */
	RODATA_MAX = 256 << 20,
	PAGE = 4096,
};

/* An image's loaded bytes by their address in the file's own numbering: from the file, else (it was
 * deleted or is not ours to open) from the memory of the process. */
struct image {
	int fd;
	struct nh_mem mem;
	uint64_t head, bias;
	Elf64_Phdr ph[PHDRS_MAX];
	size_t nph;
	uint64_t symtab, strtab, hash; /* 0 = absent */
};

static int read_head(const struct image *im, uint64_t offset, void *dst, size_t n)
{
	if (im->fd < 0)
		return im->head ? nh_mem_read(&im->mem, im->head + offset, dst, n) : -ENOENT;
	return pread(im->fd, dst, n, (off_t)offset) == (ssize_t)n ? 0 : -EIO;
}

static int read_at(const struct image *im, uint64_t addr, void *dst, size_t n)
{
	if (im->fd < 0)
		return nh_mem_read(&im->mem, im->bias + addr, dst, n);
	for (size_t i = 0; i < im->nph; i++) {
		const Elf64_Phdr *p = &im->ph[i];
		uint64_t off = addr - p->p_vaddr;

		if (p->p_type == PT_LOAD && addr >= p->p_vaddr && off < p->p_filesz &&
			n <= p->p_filesz - off)
			return read_head(im, p->p_offset + off, dst, n);
	}
	return -EFAULT;
}

static int read_dynamic(struct image *im, const Elf64_Phdr *ph)
{
	Elf64_Dyn d[DYNAMIC_MAX];
	size_t n = ph->p_filesz / sizeof(*d);
	int r;

	n = n < DYNAMIC_MAX ? n : DYNAMIC_MAX;
	r = read_at(im, ph->p_vaddr, d, n * sizeof(*d));
	for (size_t i = 0; !r && i < n && d[i].d_tag != DT_NULL; i++) {
		/* In memory, the dynamic linker may have added the load address. */
		uint64_t at = d[i].d_un.d_ptr;

		at -= im->fd < 0 && at >= im->head ? im->bias : 0;
		if (d[i].d_tag == DT_SYMTAB)
			im->symtab = at;
		else if (d[i].d_tag == DT_STRTAB)
			im->strtab = at;
		else if (d[i].d_tag == DT_GNU_HASH)
			im->hash = at;
	}
	return r;
}

static int open_image(struct image *im)
{
	const Elf64_Phdr *dynamic = NULL;
	uint64_t lowest = UINT64_MAX;
	Elf64_Ehdr eh;
	int r = read_head(im, 0, &eh, sizeof(eh));

	if (r)
		return r;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
		eh.e_phentsize != sizeof(*im->ph) || eh.e_phnum > PHDRS_MAX)
		return -ENOEXEC;
	r = read_head(im, eh.e_phoff, im->ph, eh.e_phnum * sizeof(*im->ph));
	if (r)
		return r;
	im->nph = eh.e_phnum;
	for (size_t i = 0; i < im->nph; i++) {
		if (im->ph[i].p_type == PT_DYNAMIC)
			dynamic = &im->ph[i];
		if (im->ph[i].p_type == PT_LOAD && im->ph[i].p_vaddr < lowest)
			lowest = im->ph[i].p_vaddr;
	}
	im->bias = im->head - (lowest & ~(uint64_t)(PAGE - 1));
	r = dynamic ? read_dynamic(im, dynamic) : -ENOENT;
	if (!r && (!im->symtab || !im->strtab || !im->hash))
		r = -ENOENT;
	return r;
}

/* A symbol's name is the given one, whose size includes the NUL. */
static bool is_named(const struct image *im, const Elf64_Sym *sym, const char *name, size_t size)
{
	char buf[32];

	return !read_at(im, im->strtab + sym->st_name, buf, size) && !memcmp(buf, name, size);
}

struct gnu_hash {
	uint32_t nbuckets, first, nbloom, shift;
};

/* Address of the function ncclGetVersion that the image exports; 0 = none. */
static uint64_t find_export(const struct image *im, const struct gnu_hash *gh)
{
	static const char name[] = "ncclGetVersion";
	uint64_t buckets = im->hash + sizeof(*gh) + 8ULL * gh->nbloom;
	uint64_t chain = buckets + 4ULL * gh->nbuckets;
	uint32_t h = 5381, at, link = 0;

	for (const char *p = name; *p; p++)
		h = h * 33 + (unsigned char)*p;
	if (read_at(im, buckets + 4ULL * (h % gh->nbuckets), &at, sizeof(at)) || at < gh->first)
		return 0;
	for (int i = 0; i < CHAIN_MAX && !(link & 1); i++, at++) {
		Elf64_Sym sym;

		if (read_at(im, chain + 4ULL * (at - gh->first), &link, sizeof(link)))
			return 0;
		if ((link | 1) == (h | 1) &&
			!read_at(im, im->symtab + (uint64_t)at * sizeof(sym), &sym, sizeof(sym)) &&
			is_named(im, &sym, name, sizeof(name)))
			return sym.st_value;
	}
	return 0;
}

/* Imports are not hashed: they are the symbols before the first one that is. */
static int find_import(const struct image *im, const struct gnu_hash *gh)
{
	static const char name[] = "shutdown";

	if (gh->first > IMPORTS_MAX)
		return 0;
	for (uint32_t i = 1; i < gh->first; i++) {
		Elf64_Sym sym;

		if (read_at(im, im->symtab + i * sizeof(sym), &sym, sizeof(sym)))
			return 0;
		if (sym.st_shndx == SHN_UNDEF && is_named(im, &sym, name, sizeof(name)))
			return NH_YES;
	}
	return NH_NO;
}

/* The file's .rodata section; false if it has none. */
static bool find_rodata(int fd, GElf_Shdr *ret)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *scn = NULL;
	bool found = false;
	size_t strings;

	if (elf && !elf_getshdrstrndx(elf, &strings))
		while (!found && (scn = elf_nextscn(elf, scn)))
			if (gelf_getshdr(scn, ret) && ret->sh_type == SHT_PROGBITS) {
				const char *name = elf_strptr(elf, strings, ret->sh_name);

				found = name && !strcmp(name, ".rodata");
			}
	elf_end(elf);
	return found;
}

/* Reads piece by piece: of a library of gigabytes only this section, and not longer than until half
 * of the time there is has passed, or a tenth of it where the search for holders took that.  cuda
 * is set if a version is found. */
static int64_t search_strings(
	struct nh_collector *k, struct nh_subject *s, int fd, char cuda[NH_NCCL_CUDA_TEXT])
{
	int64_t half = k->began_ms + k->o->timeout_ms / 2,
		tenth = nh_now_ms() + k->o->timeout_ms / 10;
	int64_t until = half > tenth ? half : tenth, version = NH_UNKNOWN;
	struct nh_arena tmp = { 0 };
	size_t kept = 0, len;
	ssize_t n = 1;
	GElf_Shdr sh;
	char *buf;

	if (!find_rodata(fd, &sh) || sh.sh_size > RODATA_MAX)
		return NH_UNKNOWN;
	buf = nh_new(&tmp, char, CHUNK + OVERLAP);
	for (uint64_t at = 0; at < sh.sh_size && version == NH_UNKNOWN && n > 0; at += (size_t)n) {
		uint64_t left = sh.sh_size - at;

		if (nh_now_ms() > until || !nh_mark_begin(k->mark, s->pid, "NCCL version"))
			break;
		n = pread(fd, buf + kept, left < CHUNK ? left : CHUNK, (off_t)(sh.sh_offset + at));
		len = kept + (size_t)(n > 0 ? n : 0);
		version = nh_nccl_version_of_strings(buf, len, cuda);
		/* What the end of a piece cuts is whole in the next. */
		kept = len < OVERLAP ? len : OVERLAP;
		memmove(buf, buf + len - kept, kept);
	}
	nh_arena_free(&tmp);
	return version;
}

static void set_version(struct nh_collector *k, int64_t version, int from, struct nh_module *row)
{
	char buf[NH_NCCL_VERSION_TEXT];

	if (row->nccl || version == NH_UNKNOWN)
		return;
	row->nccl = nh_arena_strdup(k->a, nh_nccl_version_text(version, buf));
	row->nccl_from = from;
}

void nh_read_nccl(struct nh_collector *k, struct nh_subject *s, int fd, uint64_t head, bool exe,
	struct nh_module *row)
{
	struct image im = { .fd = fd,
		.mem = { .pid = s->live_tid, .dir = s->live, .recorded = k->recorded },
		.head = head };
	struct gnu_hash gh = { 0 };
	uint64_t function = 0;
	unsigned char code[CODE];
	char cuda[NH_NCCL_CUDA_TEXT] = "";
	bool readable = !open_image(&im) && !read_at(&im, im.hash, &gh, sizeof(gh)) && gh.nbuckets;

	if (readable)
		function = find_export(&im, &gh);
	if (function && !read_at(&im, function, code, sizeof(code)))
		set_version(k, nh_nccl_version_of_code(code, sizeof(code)), NH_NCCL_FROM_CODE, row);
	if (fd >= 0 && (function || exe || nh_is_training_library(row->path))) {
		set_version(k, search_strings(k, s, fd, cuda), NH_NCCL_FROM_STRING, row);
		row->nccl_cuda = *cuda ? nh_arena_strdup(k->a, cuda) : NULL;
	}
	set_version(k, nh_nccl_version_of_path(row->path), NH_NCCL_FROM_NAME, row);
	if (row->nccl && readable)
		row->imports_shutdown = find_import(&im, &gh);
}
