/*
 * What would import, construct or call becomes an inert object that says what would have been
 * called with what.  Nothing is looked up, nothing is run.
 */
#include "evidence/pickle_reader.h"

/* The class of a GLOBAL: its name without the module. */
static int push_class(struct nh_pickle *r, const char *s, size_t n)
{
	return nh_pickle_push(r, (struct nh_value){ .kind = NH_V_CLASS, .n = (uint32_t)n, .s = s });
}

/* A line of text, as GLOBAL and PERSID have them. */
static const char *line(struct nh_pickle *r, size_t *n)
{
	const char *s = r->p, *nl = memchr(s, '\n', (size_t)(r->end - s));

	if (!nl) {
		r->why = "the file ends in the middle of it";
		return NULL;
	}
	*n = (size_t)(nl - s);
	r->p = nl + 1;
	return s;
}

static int op_global(struct nh_pickle *r)
{
	size_t n;
	const char *s = line(r, &n) ? line(r, &n) : NULL;

	return s ? push_class(r, s, n) : -EINVAL;
}

static bool enough(struct nh_pickle *r, size_t n)
{
	if (r->n - r->marks[r->depth] >= n)
		return true;
	r->why = "too few values";
	return false;
}

static int op_stack_global(struct nh_pickle *r)
{
	struct nh_value name;

	if (!enough(r, 2))
		return -EINVAL;
	name = r->stack[r->n - 1];
	if (name.kind != NH_V_STR)
		return nh_pickle_wrong(r, "a name that is no string");
	r->n -= 2;
	return push_class(r, name.s, name.n);
}

/* An object in place of the topmost n values: what it would be made by, and of what. */
static int object(struct nh_pickle *r, size_t n, struct nh_value by, struct nh_value of)
{
	struct nh_value v, pair[2] = { by, of };
	int rc = nh_tree_container(r->t, NH_V_OBJECT, &v);

	if (!rc)
		rc = nh_tree_append(r->t, v, pair, 2);
	r->n -= n;
	return rc ? rc : nh_pickle_push(r, v);
}

static const struct nh_value nothing = { .kind = NH_V_NONE };

static int op_reduce(struct nh_pickle *r)
{
	return enough(r, 2) ? object(r, 2, r->stack[r->n - 2], r->stack[r->n - 1]) : -EINVAL;
}

static int op_newobj_ex(struct nh_pickle *r)
{
	return enough(r, 3) ? object(r, 3, r->stack[r->n - 3], r->stack[r->n - 2]) : -EINVAL;
}

static int op_binpersid(struct nh_pickle *r)
{
	return enough(r, 1) ? object(r, 1, nothing, r->stack[r->n - 1]) : -EINVAL;
}

static int op_persid(struct nh_pickle *r)
{
	size_t n;
	const char *s = line(r, &n);

	return s ? object(r, 0, nothing, nh_tree_str(r->t, s, n)) : -EINVAL;
}

/* Back to the MARK. */
static int drop(struct nh_pickle *r)
{
	if (!r->depth)
		return nh_pickle_wrong(r, "no MARK before it");
	r->n = r->marks[r->depth--];
	return 0;
}

/* MARK class argument...: the arguments say nothing that is asked for. */
static int op_obj(struct nh_pickle *r)
{
	struct nh_value by;
	int rc;

	if (!r->depth || !enough(r, 1))
		return nh_pickle_wrong(r, "too few values");
	by = r->stack[r->marks[r->depth]];
	rc = drop(r);
	return rc ? rc : object(r, 0, by, nothing);
}

static int op_inst(struct nh_pickle *r)
{
	struct nh_value by = { .kind = NH_V_CLASS };
	size_t n;
	const char *s = line(r, &n) ? line(r, &n) : NULL;
	int rc = s ? drop(r) : -EINVAL;

	by.s = s;
	by.n = s ? (uint32_t)n : 0;
	return rc ? rc : object(r, 0, by, nothing);
}

static int op_build(struct nh_pickle *r)
{
	struct nh_value to, pair[2] = { nothing };

	if (!enough(r, 2))
		return -EINVAL;
	pair[1] = r->stack[--r->n];
	to = r->stack[r->n - 1];
	return to.kind == NH_V_OBJECT ? nh_tree_append(r->t, to, pair, 2) : 0;
}

static int extension(struct nh_pickle *r, size_t width)
{
	if (!nh_pickle_need(r, width))
		return -EINVAL;
	r->p += width;
	return push_class(r, "", 0);
}

static int op_ext1(struct nh_pickle *r)
{
	return extension(r, 1);
}

static int op_ext2(struct nh_pickle *r)
{
	return extension(r, 2);
}

static int op_ext4(struct nh_pickle *r)
{
	return extension(r, 4);
}

static int op_pop(struct nh_pickle *r)
{
	if (r->n == r->marks[r->depth])
		return drop(r);
	r->n--;
	return 0;
}

static int op_dup(struct nh_pickle *r)
{
	return enough(r, 1) ? nh_pickle_push(r, r->stack[r->n - 1]) : -EINVAL;
}

/* A set's elements say nothing that is asked for, nor do integers of more than 64 bits. */
static int op_empty_set(struct nh_pickle *r)
{
	return nh_pickle_push(r, nothing);
}

static int op_frozenset(struct nh_pickle *r)
{
	int rc = drop(r);

	return rc ? rc : nh_pickle_push(r, nothing);
}

static int integer(struct nh_pickle *r, size_t width)
{
	uint64_t n;

	if (!nh_pickle_need(r, width))
		return -EINVAL;
	n = nh_pickle_take(r, width);
	r->p -= width;
	if (n <= 8)
		return width == 1 ? nh_pickle_long1(r) : nh_pickle_long4(r);
	r->p += width;
	if (!nh_pickle_need(r, n))
		return -EINVAL;
	r->p += n;
	return nh_pickle_push(r, nothing);
}

static int op_long1(struct nh_pickle *r)
{
	return integer(r, 1);
}

static int op_long4(struct nh_pickle *r)
{
	return integer(r, 4);
}

const struct nh_pickle_op nh_pickle_inert[256] = {
	['c'] = { "GLOBAL", op_global },
	[0x93] = { "STACK_GLOBAL", op_stack_global },
	['R'] = { "REDUCE", op_reduce },
	[0x81] = { "NEWOBJ", op_reduce },
	[0x92] = { "NEWOBJ_EX", op_newobj_ex },
	['b'] = { "BUILD", op_build },
	['i'] = { "INST", op_inst },
	['o'] = { "OBJ", op_obj },
	['P'] = { "PERSID", op_persid },
	['Q'] = { "BINPERSID", op_binpersid },
	[0x82] = { "EXT1", op_ext1 },
	[0x83] = { "EXT2", op_ext2 },
	[0x84] = { "EXT4", op_ext4 },
	['0'] = { "POP", op_pop },
	['1'] = { "POP_MARK", drop },
	['2'] = { "DUP", op_dup },
	['U'] = { "SHORT_BINSTRING", nh_pickle_short_binunicode },
	['T'] = { "BINSTRING", nh_pickle_binunicode },
	['C'] = { "SHORT_BINBYTES", nh_pickle_short_binunicode },
	['B'] = { "BINBYTES", nh_pickle_binunicode },
	[0x8e] = { "BINBYTES8", nh_pickle_binunicode8 },
	[0x96] = { "BYTEARRAY8", nh_pickle_binunicode8 },
	[0x8f] = { "EMPTY_SET", op_empty_set },
	[0x90] = { "ADDITEMS", drop },
	[0x91] = { "FROZENSET", op_frozenset },
	[0x8a] = { "LONG1", op_long1 },
	[0x8b] = { "LONG4", op_long4 },
};
