#include "stack/table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "stack/file.h"

/* Room of each image's own index. */
#define STRIDE (1ULL << 32)

struct nh_pair {
	int32_t pc, fde; /* less the address of the table's base */
};

/* .eh_frame_hdr as every linker writes it: version 1, three encodings, then sorted pairs. */
static bool read_header(struct nh_space *s, const struct nh_image *image, struct nh_table *t)
{
	struct {
		uint8_t version, frame_enc, count_enc, table_enc;
		int32_t frame;
		uint32_t count;
	} h;

	if (!image->eh_frame_hdr || nh_space_read(s, image->eh_frame_hdr, &h, sizeof(h)))
		return false;
	if (h.version != 1 || (h.frame_enc & 0x0f) != DW_EH_PE_sdata4 ||
		h.count_enc != DW_EH_PE_udata4 ||
		h.table_enc != (DW_EH_PE_datarel | DW_EH_PE_sdata4) || !h.count)
		return false;
	t->segbase = image->eh_frame_hdr;
	t->entries = image->eh_frame_hdr + sizeof(h);
	t->count = h.count;
	return true;
}

/* Bytes of a pointer in this encoding. */
static size_t pointer_size(int encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	default:
		return 8;
	}
}

/* How a CIE's FDEs write addresses: the byte for 'R' in its augmentation data. */
static int fde_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *p = cie->augmentation_data, *end;

	if (cie->augmentation[0] != 'z' || !p)
		return DW_EH_PE_absptr;
	end = p + cie->augmentation_data_size;
	for (const char *a = cie->augmentation + 1; *a && p < end; a++) {
		if (*a == 'R')
			return *p;
		if (*a == 'L')
			p++;
		else if (*a == 'P')
			p += 1 + pointer_size(*p);
	}
	return DW_EH_PE_absptr;
}

/* A file's .eh_frame while it is walked. */
struct walk {
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t addr; /* of the section, in the file's numbering */
	Dwarf_Off cie; /* the last one looked at, and its encoding */
	int encoding;
};

static bool fde_pc(struct walk *w, const Dwarf_FDE *fde, int32_t *ret)
{
	uint64_t at = w->addr + (uint64_t)(fde->start - (const uint8_t *)w->data->d_buf);
	int64_t pc = 0;
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	if (fde->CIE_pointer != w->cie) {
		if (dwarf_next_cfi(w->ident, w->data, true, fde->CIE_pointer, &next, &e) ||
			!dwarf_cfi_cie_p(&e))
			return false;
		w->cie = fde->CIE_pointer;
		w->encoding = fde_encoding(&e.cie);
	}
	if (pointer_size(w->encoding) == 4) {
		int32_t narrow;

		memcpy(&narrow, fde->start, sizeof(narrow));
		pc = narrow;
	} else if (pointer_size(w->encoding) == 8) {
		memcpy(&pc, fde->start, sizeof(pc));
	}
	if ((w->encoding & 0x70) == DW_EH_PE_pcrel)
		pc += (int64_t)at;
	pc -= (int64_t)w->addr;
	*ret = (int32_t)pc;
	return *ret == pc;
}

static int by_pc(const void *a, const void *b)
{
	const struct nh_pair *x = a, *y = b;

	return (x->pc > y->pc) - (x->pc < y->pc);
}

static size_t index_frames(struct nh_arena *a, struct walk *w, struct nh_pair **ret)
{
	NH_VEC(struct nh_pair) pairs = { 0 };
	Dwarf_CFI_Entry e;
	Dwarf_Off off = 0, next = 0;
	int32_t pc;

	for (;; off = next) {
		int rc = dwarf_next_cfi(w->ident, w->data, true, off, &next, &e);

		if (rc > 0 || next <= off || off > INT32_MAX)
			break;
		if (!rc && !dwarf_cfi_cie_p(&e) && e.fde.end - e.fde.start >= 8 &&
			fde_pc(w, &e.fde, &pc))
			*nh_push(a, &pairs) = (struct nh_pair){ pc, (int32_t)off };
	}
	if (pairs.n)
		qsort(pairs.v, pairs.n, sizeof(*pairs.v), by_pc);
	*ret = pairs.v;
	return pairs.n;
}

static void make_index(struct nh_space *s, const struct nh_image *image, struct nh_table *t)
{
	struct nh_elf file;
	struct walk w = { .cie = UINT64_MAX };
	GElf_Shdr sh;
	Elf_Scn *scn;

	if (nh_elf_open(s, image, &file))
		return;
	scn = nh_elf_section(file.elf, ".eh_frame", 0, &sh);
	w.data = scn ? elf_rawdata(scn, NULL) : NULL;
	w.ident = (const unsigned char *)elf_getident(file.elf, NULL);
	if (w.data && w.data->d_buf && w.ident) {
		w.addr = sh.sh_addr;
		t->count = index_frames(&s->arena, &w, &t->own);
	}
	if (t->count) {
		t->segbase = image->bias + w.addr;
		t->entries = NH_TABLE_BASE + (uint64_t)(image - s->images.v) * STRIDE;
	}
	nh_elf_close(&file);
}

const struct nh_table *nh_table_get(struct nh_space *s, struct nh_image *image)
{
	if (!image->table.looked) {
		image->table.looked = true;
		if (!read_header(s, image, &image->table))
			make_index(s, image, &image->table);
	}
	return image->table.count ? &image->table : NULL;
}

bool nh_table_word(const struct nh_space *s, uint64_t addr, uint64_t *ret)
{
	uint64_t image = (addr - NH_TABLE_BASE) / STRIDE;
	uint64_t at = (addr - NH_TABLE_BASE) % STRIDE / sizeof(struct nh_pair);
	const struct nh_table *t = image < s->images.n ? &s->images.v[image].table : NULL;

	if (!t || !t->own || at >= t->count)
		return false;
	memcpy(ret, (const struct nh_pair *)t->own + at, sizeof(*ret));
	return true;
}
