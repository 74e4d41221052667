#include "stack/space.h"

#include <elf.h>
#include <string.h>
#include "base/str.h"

/* How far before an executable mapping the one with the ELF header is looked for. */
#define LOOK_BACK 16
#define PHDRS_MAX 128
#define NOTES_MAX 4096U
#define BUILD_ID_MAX 64U

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static const char *hex(struct nh_arena *a, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = nh_arena_alloc(a, n * 2 + 1, 1);

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return text;
}

static const char *build_id(struct nh_arena *a, const unsigned char *notes, size_t n)
{
	Elf64_Nhdr h;

	while (n >= sizeof(h)) {
		size_t name, desc;

		memcpy(&h, notes, sizeof(h));
		notes += sizeof(h);
		n -= sizeof(h);
		name = ((size_t)h.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)h.n_descsz + 3) & ~(size_t)3;
		if (name > n || desc > n - name)
			return NULL;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(notes, "GNU", 4) &&
			h.n_descsz && h.n_descsz <= BUILD_ID_MAX)
			return hex(a, notes + name, h.n_descsz);
		notes += name + desc;
		n -= name + desc;
	}
	return NULL;
}

static void read_build_id(struct nh_space *s, const Elf64_Phdr *note, struct nh_image *image)
{
	unsigned char notes[NOTES_MAX];
	size_t n = note->p_filesz < sizeof(notes) ? note->p_filesz : sizeof(notes);

	if (!image->build_id && !nh_space_read(s, image->bias + note->p_vaddr, notes, n))
		image->build_id = build_id(&s->arena, notes, n);
}

/* The segments give the load address and the extent, and where notes and tables lie. */
static bool read_segments(
	struct nh_space *s, const Elf64_Phdr *ph, size_t n, struct nh_image *image)
{
	bool headers = false;

	for (size_t i = 0; i < n; i++) {
		uint64_t end;

		if (ph[i].p_type != PT_LOAD)
			continue;
		if (!headers && ph[i].p_offset < 4096) {
			image->bias = image->start - (ph[i].p_vaddr - ph[i].p_offset);
			headers = true;
		}
		end = image->bias + ph[i].p_vaddr + ph[i].p_memsz;
		if (headers && ph[i].p_memsz < UINT32_MAX * 64ULL && end > image->end)
			image->end = end;
	}
	for (size_t i = 0; i < n && headers; i++) {
		if (ph[i].p_type == PT_GNU_EH_FRAME)
			image->eh_frame_hdr = image->bias + ph[i].p_vaddr;
		else if (ph[i].p_type == PT_DYNAMIC)
			image->dynamic = image->bias + ph[i].p_vaddr;
		else if (ph[i].p_type == PT_NOTE)
			read_build_id(s, &ph[i], image);
	}
	return headers;
}

static bool read_image(struct nh_space *s, const struct nh_map *map, struct nh_image *image)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph[PHDRS_MAX];

	if (nh_space_read(s, map->start, &eh, sizeof(eh)) ||
		memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != MACHINE) {
		s->foreign = true;
		return false;
	}
	if (eh.e_phentsize != sizeof(*ph) || !eh.e_phnum || eh.e_phnum > PHDRS_MAX ||
		nh_space_read(s, map->start + eh.e_phoff, ph, eh.e_phnum * sizeof(*ph)))
		return false;
	*image = (struct nh_image){ .start = map->start,
		.end = map->end,
		.map_end = map->end,
		.inode = map->inode,
		.deleted = map->deleted };
	if (!read_segments(s, ph, eh.e_phnum, image))
		return false;
	image->path = nh_utf8_repair(&s->arena, map->path, map->path_len);
	image->key = image->build_id ? image->build_id
				     : nh_arena_printf(&s->arena, "%llu %s",
					       (unsigned long long)map->inode, image->path);
	return true;
}

/* The text of a library may have been remapped, to huge pages say; its header still lies before. */
static void find_image(struct nh_space *s, size_t at)
{
	struct nh_image image;

	for (size_t back = 0; back <= at && back < LOOK_BACK; back++) {
		const struct nh_map *map = &s->maps.v[at - back];

		if (map->offset || !map->path_len || map->perms[0] != 'r')
			continue;
		if (read_image(s, map, &image) && image.end > s->maps.v[at].start)
			*nh_push(&s->arena, &s->images) = image;
		return;
	}
}

void nh_space_find_images(struct nh_space *s)
{
	uint64_t end = 0;

	for (size_t i = 0; i < s->maps.n; i++) {
		if (s->maps.v[i].perms[2] != 'x' || s->maps.v[i].start < end)
			continue;
		find_image(s, i);
		if (s->images.n)
			end = s->images.v[s->images.n - 1].end;
	}
}
