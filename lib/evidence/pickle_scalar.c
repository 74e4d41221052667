#include "evidence/pickle_reader.h"

static int push_int(struct nh_pickle *r, int64_t i)
{
	return nh_pickle_push(r, (struct nh_value){ .kind = NH_V_INT, .i = i });
}

int nh_pickle_none(struct nh_pickle *r)
{
	return nh_pickle_push(r, (struct nh_value){ .kind = NH_V_NONE });
}

int nh_pickle_true(struct nh_pickle *r)
{
	return nh_pickle_push(r, (struct nh_value){ .kind = NH_V_BOOL, .i = 1 });
}

int nh_pickle_false(struct nh_pickle *r)
{
	return nh_pickle_push(r, (struct nh_value){ .kind = NH_V_BOOL });
}

int nh_pickle_binint1(struct nh_pickle *r)
{
	return nh_pickle_need(r, 1) ? push_int(r, (int64_t)nh_pickle_take(r, 1)) : -EINVAL;
}

int nh_pickle_binint2(struct nh_pickle *r)
{
	return nh_pickle_need(r, 2) ? push_int(r, (int64_t)nh_pickle_take(r, 2)) : -EINVAL;
}

int nh_pickle_binint(struct nh_pickle *r)
{
	return nh_pickle_need(r, 4) ? push_int(r, (int32_t)nh_pickle_take(r, 4)) : -EINVAL;
}

static int integer(struct nh_pickle *r, size_t n)
{
	int shift;

	if (n > 8)
		return nh_pickle_wrong(r, "an integer of more than 64 bits");
	shift = 64 - 8 * (int)n;
	if (!nh_pickle_need(r, n))
		return -EINVAL;
	return push_int(r, n ? (int64_t)(nh_pickle_take(r, n) << shift) >> shift : 0);
}

int nh_pickle_long1(struct nh_pickle *r)
{
	return nh_pickle_need(r, 1) ? integer(r, (size_t)nh_pickle_take(r, 1)) : -EINVAL;
}

int nh_pickle_long4(struct nh_pickle *r)
{
	return nh_pickle_need(r, 4) ? integer(r, (size_t)nh_pickle_take(r, 4)) : -EINVAL;
}

int nh_pickle_binfloat(struct nh_pickle *r)
{
	struct nh_value v = { .kind = NH_V_REAL };
	uint64_t bits;

	if (!nh_pickle_need(r, 8))
		return -EINVAL;
	memcpy(&bits, r->p, 8);
	bits = be64toh(bits);
	r->p += 8;
	memcpy(&v.d, &bits, sizeof(v.d));
	return nh_pickle_push(r, v);
}

static int string(struct nh_pickle *r, size_t width)
{
	const char *s;
	uint64_t n;

	if (!nh_pickle_need(r, width))
		return -EINVAL;
	n = nh_pickle_take(r, width);
	if (!nh_pickle_need(r, n))
		return -EINVAL;
	s = r->p;
	r->p += n;
	return nh_pickle_push(r, nh_tree_str(r->t, s, n));
}

int nh_pickle_short_binunicode(struct nh_pickle *r)
{
	return string(r, 1);
}

int nh_pickle_binunicode(struct nh_pickle *r)
{
	return string(r, 4);
}

int nh_pickle_binunicode8(struct nh_pickle *r)
{
	return string(r, 8);
}
