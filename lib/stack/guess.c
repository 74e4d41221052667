#include "stack/walk.h"

#include <string.h>

/* A frame's own variables lie between its stack pointer and its frame record. */
#define SCAN_BYTES 65536
#define CANDIDATES_MAX 64

enum call {
	NO_CALL,
	INDIRECT_CALL, /* through a register: the callee cannot be told from the code */
	DIRECT_CALL,   /* of the function in question */
};

#if defined(__x86_64__)
/* The target of "jmp *slot(%rip)" at addr, as the procedure linkage table has them. */
static uint64_t linkage_target(const struct nh_unwinder *u, uint64_t addr)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[12];
	const unsigned char *p = code;
	uint64_t target;
	int32_t offset;

	if (nh_space_read(u->space, addr, code, sizeof(code)))
		return 0;
	if (!memcmp(p, endbr64, sizeof(endbr64)))
		p += sizeof(endbr64);
	p += *p == 0xf2;
	if (p[0] != 0xff || p[1] != 0x25)
		return 0;
	memcpy(&offset, p + 2, sizeof(offset));
	addr += (uint64_t)(p + 6 - code) + (uint64_t)(int64_t)offset;
	return nh_mem_read(&u->space->mem, addr, &target, sizeof(target)) ? 0 : target;
}

/* What kind of call ends at the return address `ra`, seen from the function at `callee`. */
static enum call call_before(const struct nh_unwinder *u, uint64_t ra, uint64_t callee)
{
	unsigned char code[7];
	int32_t offset;
	uint64_t target;

	if (nh_space_read(u->space, ra - sizeof(code), code, sizeof(code)))
		return NO_CALL;
	memcpy(&offset, code + 3, sizeof(offset));
	target = ra + (uint64_t)(int64_t)offset;
	if (code[2] == 0xe8 && (target == callee || linkage_target(u, target) == callee))
		return DIRECT_CALL;
	if (code[1] == 0xff && code[2] == 0x15 &&
		!nh_mem_read(&u->space->mem, target, &target, sizeof(target)))
		return target == callee ? DIRECT_CALL : NO_CALL;
	/* call *%reg, *disp8(%reg), *disp32(%reg), each also with a SIB byte */
	for (size_t k = 0; k + 2 <= sizeof(code); k++)
		if (code[k] == 0xff && (code[k + 1] >> 3 & 7) == 2)
			return INDIRECT_CALL;
	return NO_CALL;
}
#else
static enum call call_before(const struct nh_unwinder *u, uint64_t ra, uint64_t callee)
{
	uint32_t code;
	int64_t words;

	if (ra % 4 || nh_space_read(u->space, ra - 4, &code, sizeof(code)))
		return NO_CALL;
	if ((code & 0xfffffc1f) == 0xd63f0000) /* blr */
		return INDIRECT_CALL;
	words = (int32_t)(code << 6) >> 6;
	if (code >> 26 == 0x25 && ra - 4 + (uint64_t)(words * 4) == callee) /* bl */
		return DIRECT_CALL;
	return NO_CALL;
}
#endif

/* A frame record that could be the one: a word, then a return address after a fitting call. */
struct candidate {
	uint64_t addr, ra;
	enum call call;
};

static size_t find(const struct nh_unwinder *u, uint64_t sp, uint64_t callee,
	struct candidate ret[CANDIDATES_MAX])
{
	uint64_t ra;
	size_t n = 0;

	for (uint64_t at = sp; at < sp + SCAN_BYTES && n < CANDIDATES_MAX; at += 8) {
		const struct nh_map *map;
		enum call call;

		if (!nh_copy_word(u->copy, at + 8, &ra))
			break;
		map = ra > UINT16_MAX ? nh_space_map(u->space, ra - 1) : NULL;
		call = map && map->perms[2] == 'x' ? call_before(u, ra, callee) : NO_CALL;
		if (call != NO_CALL)
			ret[n++] = (struct candidate){ at, ra, call };
	}
	return n;
}

/* Whether the frame at index `at` returns by that record.  The root calls only its own library. */
static bool arrives(
	struct nh_unwinder *u, uint64_t frame_pointer, const struct candidate *c, size_t at)
{
	int rc;

	u->frame_pointer = frame_pointer;
	return nh_walk(u, &rc) && u->n > at + 1 && u->steps[at + 1].pc == c->ra &&
	       (u->n > at + 2 || u->steps[at].image == u->steps[at + 1].image);
}

/* Where the frame pointer of that record points, 0 if not to the root: nearly always to the record;
 * libffi's call of a foreign function keeps its record behind the address and flags of the result.
 */
static uint64_t leads(struct nh_unwinder *u, const struct candidate *c, size_t at)
{
	static const unsigned before[] = { 0, 16 };

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (arrives(u, c->addr - before[i], c, at))
			return c->addr - before[i];
	return 0;
}

/*
 * Old frame records linger in a frame's unused variables, so that even a record that leads to the
 * root may be stale.  Only what has no rival counts: the one direct call of the function, with no
 * indirect call below it that might be the true one; else, if nothing calls it directly, the only
 * indirect call.  Everything else is left for the tracer.
 */
static uint64_t choose(struct nh_unwinder *u, size_t at, const struct candidate *c, size_t n)
{
	uint64_t found = 0;

	for (int call = DIRECT_CALL; call > NO_CALL; call--) {
		uint64_t limit = found ? found : UINT64_MAX;

		for (size_t i = 0; i < n && c[i].addr < limit; i++) {
			uint64_t led = (int)c[i].call == call ? leads(u, &c[i], at) : 0;

			if (led && found)
				return 0;
			if (led)
				found = led;
		}
	}
	return found;
}

bool nh_guess_frame_pointer(struct nh_unwinder *u)
{
	size_t at = u->n - 1, n = 0;
	const struct nh_step last = u->steps[at];
	struct candidate c[CANDIDATES_MAX];
	unw_proc_info_t info;
	uint64_t found = 0;
	int rc;

	if (!unw_get_proc_info_by_ip(u->as, last.pc - last.call, &info, u))
		n = find(u, (last.sp + 7) & ~7ULL, info.start_ip, c);
	if (n < CANDIDATES_MAX)
		found = choose(u, at, c, n);
	if (u->frame_pointer == found && found)
		return true;
	u->frame_pointer = found;
	return nh_walk(u, &rc);
}
