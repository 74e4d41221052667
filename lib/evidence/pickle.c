#include "evidence/pickle_reader.h"

#include <stdlib.h>

/* Kind of a memo slot that holds nothing. */
#define EMPTY 255

int nh_pickle_grow(struct nh_pickle *r)
{
	size_t cap = r->cap ? r->cap * 2 : 1024;
	struct nh_value *grown = realloc(r->stack, cap * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	r->stack = r->t->stack = grown;
	r->cap = r->t->stack_cap = cap;
	return 0;
}

static int op_proto(struct nh_pickle *r)
{
	if (!nh_pickle_need(r, 1))
		return -EINVAL;
	return nh_pickle_take(r, 1) <= 5 ? 0 : nh_pickle_wrong(r, "a protocol newer than 5");
}

static int op_frame(struct nh_pickle *r)
{
	if (!nh_pickle_need(r, 8))
		return -EINVAL;
	r->p += 8; /* its length says nothing that the opcodes do not */
	return 0;
}

static int op_stop(struct nh_pickle *r)
{
	if (r->n != 1 || r->depth)
		return nh_pickle_wrong(r, "unfinished values are left");
	r->t->root = r->stack[0];
	r->stopped = true;
	return 0;
}

static int op_mark(struct nh_pickle *r)
{
	if (r->depth == NH_PICKLE_DEPTH_MAX)
		return nh_pickle_wrong(r, "nested too deep");
	r->marks[++r->depth] = r->n;
	return 0;
}

/* Real picklers number the memo from 0 up, so a slot far past the end is an attack. */
static int memo_room(struct nh_pickle *r, uint64_t i)
{
	size_t n = r->t->memo_cap ? r->t->memo_cap : 256;
	struct nh_value *memo;

	if (i < r->memos)
		return 0;
	if (i >= NH_PICKLE_MEMO_MAX || i > (uint64_t)(r->p - r->start))
		return nh_pickle_wrong(r, "a memo slot out of bounds");
	while (n <= i)
		n *= 2;
	if (n > r->t->memo_cap) {
		memo = realloc(r->memo, n * sizeof(*memo));
		if (!memo)
			return -ENOMEM;
		r->memo = r->t->memo = memo;
		r->t->memo_cap = n;
	}
	while (r->memos <= i)
		r->memo[r->memos++].kind = EMPTY;
	return 0;
}

static int put(struct nh_pickle *r, uint64_t i)
{
	int rc = r->n > r->marks[r->depth] ? memo_room(r, i)
					   : nh_pickle_wrong(r, "nothing to memoise");

	if (rc)
		return rc;
	r->memo_n += r->memo[i].kind == EMPTY;
	r->memo[i] = r->stack[r->n - 1];
	return 0;
}

static int op_binput(struct nh_pickle *r)
{
	return nh_pickle_need(r, 1) ? put(r, nh_pickle_take(r, 1)) : -EINVAL;
}

static int op_long_binput(struct nh_pickle *r)
{
	return nh_pickle_need(r, 4) ? put(r, nh_pickle_take(r, 4)) : -EINVAL;
}

static int op_memoize(struct nh_pickle *r)
{
	return put(r, r->memo_n);
}

static inline int get(struct nh_pickle *r, uint64_t i)
{
	if (i >= r->memos || r->memo[i].kind == EMPTY)
		return nh_pickle_wrong(r, "an empty memo slot");
	return nh_pickle_push(r, r->memo[i]);
}

static int op_binget(struct nh_pickle *r)
{
	return nh_pickle_need(r, 1) ? get(r, nh_pickle_take(r, 1)) : -EINVAL;
}

static int op_long_binget(struct nh_pickle *r)
{
	return nh_pickle_need(r, 4) ? get(r, nh_pickle_take(r, 4)) : -EINVAL;
}

/* Python's pickletools has them all; a NULL here is what this reader will not do. */
static const struct nh_pickle_op opcodes[256] = {
	[0x80] = { "PROTO", op_proto },
	[0x95] = { "FRAME", op_frame },
	['.'] = { "STOP", op_stop },
	['('] = { "MARK", op_mark },
	['N'] = { "NONE", nh_pickle_none },
	[0x88] = { "NEWTRUE", nh_pickle_true },
	[0x89] = { "NEWFALSE", nh_pickle_false },
	['K'] = { "BININT1", nh_pickle_binint1 },
	['M'] = { "BININT2", nh_pickle_binint2 },
	['J'] = { "BININT", nh_pickle_binint },
	[0x8a] = { "LONG1", nh_pickle_long1 },
	[0x8b] = { "LONG4", nh_pickle_long4 },
	['G'] = { "BINFLOAT", nh_pickle_binfloat },
	['X'] = { "BINUNICODE", nh_pickle_binunicode },
	[0x8c] = { "SHORT_BINUNICODE", nh_pickle_short_binunicode },
	[0x8d] = { "BINUNICODE8", nh_pickle_binunicode8 },
	['q'] = { "BINPUT", op_binput },
	['r'] = { "LONG_BINPUT", op_long_binput },
	[0x94] = { "MEMOIZE", op_memoize },
	['h'] = { "BINGET", op_binget },
	['j'] = { "LONG_BINGET", op_long_binget },
	['}'] = { "EMPTY_DICT", nh_pickle_empty_dict },
	[']'] = { "EMPTY_LIST", nh_pickle_empty_list },
	[')'] = { "EMPTY_TUPLE", nh_pickle_empty_list },
	[0x85] = { "TUPLE1", nh_pickle_tuple1 },
	[0x86] = { "TUPLE2", nh_pickle_tuple2 },
	[0x87] = { "TUPLE3", nh_pickle_tuple3 },
	['t'] = { "TUPLE", nh_pickle_tuple },
	['e'] = { "APPENDS", nh_pickle_appends },
	['u'] = { "SETITEMS", nh_pickle_setitems },
	['a'] = { "APPEND", nh_pickle_append },
	['s'] = { "SETITEM", nh_pickle_setitem },
	['c'] = { "GLOBAL", NULL },
	[0x93] = { "STACK_GLOBAL", NULL },
	['R'] = { "REDUCE", NULL },
	['b'] = { "BUILD", NULL },
	['i'] = { "INST", NULL },
	['o'] = { "OBJ", NULL },
	[0x81] = { "NEWOBJ", NULL },
	[0x92] = { "NEWOBJ_EX", NULL },
	['P'] = { "PERSID", NULL },
	['Q'] = { "BINPERSID", NULL },
	[0x82] = { "EXT1", NULL },
	[0x83] = { "EXT2", NULL },
	[0x84] = { "EXT4", NULL },
};

bool nh_pickle_is(const char *buf, size_t len)
{
	return len >= 3 && buf[0] == '\x80' && buf[1] >= 2 && buf[1] <= 5 &&
	       opcodes[(unsigned char)buf[2]].name;
}

static int refuse(const struct nh_pickle_op *o, unsigned char byte, size_t at, struct nh_err *err)
{
	if (o->name)
		return nh_fail(err, -EINVAL,
			"refused: opcode %s at byte %zu would run code; nothing was executed",
			o->name, at);
	return nh_fail(
		err, -EINVAL, "opcode 0x%02x at byte %zu is not one of plain data", byte, at);
}

/*
 * The opcodes that make up nearly all of a dump, without a call for each.  Stops before whatever is
 * another one, is wrong or needs room: run() goes on with that.
 */
static void run_common(struct nh_pickle *r)
{
	const struct nh_value *memo = r->memo;
	struct nh_value *stack = r->stack;
	const char *p = r->p;
	size_t n = r->n;

	while (r->end - p > 3 && n < r->cap) { /* none is longer, and one byte is left for run() */
		const unsigned char *b = (const unsigned char *)p;

		switch (*b) {
		case 'h':
			if (b[1] >= r->memos || memo[b[1]].kind == EMPTY)
				goto out;
			stack[n++] = memo[b[1]];
			p += 2;
			break;
		case 'K':
			stack[n++] = (struct nh_value){ .kind = NH_V_INT, .i = b[1] };
			p += 2;
			break;
		case 'M':
			stack[n++] = (struct nh_value){ .kind = NH_V_INT, .i = b[1] | b[2] << 8 };
			p += 3;
			break;
		case 'N':
			stack[n++] = (struct nh_value){ .kind = NH_V_NONE };
			p++;
			break;
		case '(':
			if (r->depth == NH_PICKLE_DEPTH_MAX)
				goto out;
			r->marks[++r->depth] = n;
			p++;
			break;
		case ']':
		case '}':
			if (nh_tree_container(r->t, *b == ']' ? NH_V_LIST : NH_V_DICT, &stack[n]))
				goto out;
			n++;
			p++;
			break;
		default:
			goto out;
		}
	}
out:
	r->p = p;
	r->n = n;
}

static int run(struct nh_pickle *r, struct nh_err *err)
{
	while (!r->stopped && r->p < r->end) {
		const struct nh_pickle_op *o;
		const char *at;
		int rc;

		run_common(r);
		at = r->p++;
		o = &opcodes[(unsigned char)*at];
		if (r->inert && nh_pickle_inert[(unsigned char)*at].op)
			o = &nh_pickle_inert[(unsigned char)*at];
		if (!o->op)
			return refuse(o, (unsigned char)*at, (size_t)(at - r->start), err);
		rc = o->op(r);
		if (rc)
			return nh_fail(err, rc, "%s at byte %zu: %s", o->name,
				(size_t)(at - r->start), r->why ? r->why : strerror(-rc));
	}
	if (!r->stopped)
		return nh_fail(err, -EINVAL, "cut short: it ends at byte %zu without STOP",
			(size_t)(r->p - r->start));
	return 0;
}

static int read_pickle(const char *buf, size_t len, bool inert, size_t *used, struct nh_tree *ret,
	struct nh_err *err)
{
	struct nh_pickle r = { .t = ret,
		.start = buf,
		.p = buf,
		.end = buf + len,
		.stack = ret->stack,
		.memo = ret->memo,
		.cap = ret->stack_cap,
		.inert = inert };
	int rc;

	if (!nh_pickle_is(buf, len))
		return nh_fail(err, -EINVAL, "not a pickle of protocol 2 to 5");
	if (len > NH_PICKLE_SIZE_MAX)
		return nh_fail(err, -E2BIG, "larger than %u MiB", NH_PICKLE_SIZE_MAX >> 20);
	nh_tree_reset(ret);
	rc = run(&r, err);
	*used = (size_t)(r.p - r.start);
	return rc;
}

int nh_pickle_read(const char *buf, size_t len, struct nh_tree *ret, struct nh_err *err)
{
	size_t used;

	return read_pickle(buf, len, false, &used, ret, err);
}

int nh_pickle_read_inert(
	const char *buf, size_t len, size_t *used, struct nh_tree *ret, struct nh_err *err)
{
	return read_pickle(buf, len, true, used, ret, err);
}
