/* Names from tables: what covers, what is only near, which of several names, and broken tables. */
#include "stack/lookup.h"
#include "tap.h"

static const char strings[] = "\0poll\0__poll\0_ZN3abc3defEi\0asm_label\0local\0unended";

/* Offsets into strings. */
enum {
	POLL = 1,
	UPOLL = 6,
	CXX = 13,
	LABEL = 27,
	LOCAL = 37,
	UNENDED = 43,
};

#define SYM(name, bind, type, value, size)                                                         \
	{                                                                                          \
		(name), ELF64_ST_INFO(bind, type), 0, 1, (value), (size)                           \
	}

static const Elf64_Sym syms[] = {
	{ 0 },
	SYM(UPOLL, STB_GLOBAL, STT_FUNC, 0x100, 0x20),
	SYM(POLL, STB_WEAK, STT_FUNC, 0x100, 0x20),
	SYM(LOCAL, STB_LOCAL, STT_FUNC, 0x300, 0x10),
	SYM(CXX, STB_GLOBAL, STT_GNU_IFUNC, 0x200, 0x40),
	SYM(LABEL, STB_GLOBAL, STT_FUNC, 0x400, 0),
	SYM(LOCAL, STB_GLOBAL, STT_OBJECT, 0x110, 0x1000),
	SYM(UNENDED, STB_GLOBAL, STT_FUNC, 0x500, 0x10),
	SYM(9999, STB_GLOBAL, STT_FUNC, 0x500, 0x10),
	SYM(POLL, STB_GLOBAL, STT_FUNC, UINT64_MAX - 4, UINT64_MAX),
};

static void table(void)
{
	struct nh_lookup l[] = { { .addr = 0x50 }, { .addr = 0x100 }, { .addr = 0x11f },
		{ .addr = 0x120 }, { .addr = 0x23f }, { .addr = 0x305 }, { .addr = 0x390 },
		{ .addr = 0x405 }, { .addr = 0x505 } };

	/* The last name lacks its NUL. */
	nh_lookup_table(l, 9, syms, sizeof(syms) / sizeof(*syms), strings, sizeof(strings) - 1);
	ok(!l[0].name);
	is(l[1].name, "poll");
	is(l[2].name, "poll");
	ok(l[2].covers && l[2].start == 0x100);
	is(l[3].name, "poll");
	ok(!l[3].covers && l[3].sized);
	is(l[4].name, "_ZN3abc3defEi");
	ok(l[4].covers);
	is(l[5].name, "local");
	is(l[6].name, "local");
	ok(!l[6].covers);
	is(l[7].name, "asm_label");
	ok(!l[7].covers && !l[7].sized);
	is(l[8].name, "asm_label");
}

/* A second table only improves: packed symbols after exports. */
static void second_table(void)
{
	static const Elf64_Sym more[] = { SYM(LABEL, STB_LOCAL, STT_FUNC, 0x380, 0x20) };
	struct nh_lookup l[] = { { .addr = 0x110 }, { .addr = 0x390 } };

	nh_lookup_table(l, 2, syms, sizeof(syms) / sizeof(*syms), strings, sizeof(strings));
	nh_lookup_table(l, 2, more, 1, strings, sizeof(strings));
	is(l[0].name, "poll");
	is(l[1].name, "asm_label");
	ok(l[1].covers);
}

static void demangling(void)
{
	struct nh_arena a = { 0 };
	static char huge[100000];

	is(nh_demangle(&a, "_ZN3abc3defEi"), "abc::def(int)");
	is(nh_demangle(&a, "_ZL8commFreeP8ncclComm"), "commFree(ncclComm*)");
	is(nh_demangle(&a, "ncclCommAbort"), "ncclCommAbort");
	is(nh_demangle(&a, "_Znonsense"), "_Znonsense");
	is(nh_demangle(&a, "bad\xff"), "bad\xef\xbf\xbd");
	memset(huge, 'P', sizeof(huge) - 1);
	memcpy(huge, "_Z1fP", 5);
	ok(strlen(nh_demangle(&a, huge)) <= 8193);
	nh_arena_free(&a);
}

int main(void)
{
	table();
	second_table();
	demangling();
	return done();
}
