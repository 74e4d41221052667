#include "stack/lookup.h"

#include <dwarf.h>

/* Deeper nests of scopes than compilers make. */
#define DEPTH_MAX 128

static const char *die_name(Dwarf_Die *die, struct nh_arena *a)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	return name ? nh_demangle(a, name) : NULL;
}

static bool encloses(Dwarf_Die *die, uint64_t addr)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return dwarf_haspc(die, addr) > 0;
	default:
		return false;
	}
}

/* The scope directly below `parent` that holds addr, looking through namespaces. */
static bool inner_scope(Dwarf_Die *parent, uint64_t addr, Dwarf_Die *ret)
{
	Dwarf_Die open[DEPTH_MAX], child;
	size_t n = 0;
	int rc = dwarf_child(parent, &child);

	for (;;) {
		if (rc) { /* the end of one list: goes on behind the group it belongs to */
			if (!n)
				return false;
			rc = dwarf_siblingof(&open[--n], &child);
			continue;
		}
		if (encloses(&child, addr)) {
			*ret = child;
			return true;
		}
		if (dwarf_tag(&child) == DW_TAG_namespace && n < DEPTH_MAX &&
			dwarf_haschildren(&child) > 0) {
			open[n++] = child;
			rc = dwarf_child(&open[n - 1], &child);
		} else {
			rc = dwarf_siblingof(&child, &child);
		}
	}
}

static void find_inlines(struct nh_lookup *l, Dwarf_Die *unit, struct nh_arena *a)
{
	Dwarf_Die scope = *unit;

	for (int depth = 0; depth < DEPTH_MAX && inner_scope(&scope, l->addr, &scope); depth++) {
		const char *name;
		struct nh_symbol *sym;

		if (dwarf_tag(&scope) == DW_TAG_subprogram && !l->name)
			l->name = die_name(&scope, a);
		if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine)
			continue;
		name = die_name(&scope, a);
		if (!name)
			continue;
		sym = nh_new(a, struct nh_symbol, 1);
		*sym = (struct nh_symbol){ .name = name, .inlined = true, .outer = l->inlines };
		l->inlines = sym;
	}
}

/* clang writes no .debug_aranges: then every unit is asked for its ranges. */
static void scan_units(struct nh_lookup *l, size_t n, Dwarf *dw, struct nh_arena *a)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!dwarf_get_units(dw, cu, &cu, NULL, &type, &unit, NULL)) {
		for (size_t i = 0; i < n && type == DW_UT_compile; i++)
			if (dwarf_haspc(&unit, l[i].addr) > 0)
				find_inlines(&l[i], &unit, a);
	}
}

void nh_lookup_inlines(struct nh_lookup *l, size_t n, Dwarf *dw, struct nh_arena *a)
{
	Dwarf_Aranges *aranges;
	size_t count = 0;
	Dwarf_Die unit;

	if (dwarf_getaranges(dw, &aranges, &count) || !count) {
		scan_units(l, n, dw, a);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (dwarf_addrdie(dw, l[i].addr, &unit))
			find_inlines(&l[i], &unit, a);
}
