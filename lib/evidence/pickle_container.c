/* Opcodes that make and fill lists, tuples and dictionaries. */
#include "evidence/pickle_reader.h"

static int container(struct nh_pickle *r, enum nh_value_kind kind)
{
	struct nh_value v;
	int rc = nh_tree_container(r->t, kind, &v);

	return rc ? rc : nh_pickle_push(r, v);
}

int nh_pickle_empty_dict(struct nh_pickle *r)
{
	return container(r, NH_V_DICT);
}

int nh_pickle_empty_list(struct nh_pickle *r)
{
	return container(r, NH_V_LIST);
}

/* The topmost n values become a tuple. */
static int tuple(struct nh_pickle *r, size_t n)
{
	struct nh_value v;
	int rc;

	if (r->n - r->marks[r->depth] < n)
		return nh_pickle_wrong(r, "too few values");
	rc = nh_tree_container(r->t, NH_V_LIST, &v);
	if (!rc && n)
		rc = nh_tree_append(r->t, v, r->stack + r->n - n, n);
	r->n -= n;
	return rc ? rc : nh_pickle_push(r, v);
}

int nh_pickle_tuple1(struct nh_pickle *r)
{
	return tuple(r, 1);
}

int nh_pickle_tuple2(struct nh_pickle *r)
{
	return tuple(r, 2);
}

int nh_pickle_tuple3(struct nh_pickle *r)
{
	return tuple(r, 3);
}

int nh_pickle_tuple(struct nh_pickle *r)
{
	int rc;

	if (!r->depth)
		return nh_pickle_wrong(r, "no MARK before it");
	rc = tuple(r, r->n - r->marks[r->depth]);
	r->depth--;
	return rc;
}

/* An object takes items as pairs, elements without a key. */
static int fill_object(struct nh_pickle *r, struct nh_value to, enum nh_value_kind kind, size_t n)
{
	const struct nh_value *v = r->stack + r->n;
	int rc = 0;

	if (kind == NH_V_DICT)
		return nh_tree_append(r->t, to, v, n);
	for (size_t i = 0; !rc && i < n; i++)
		rc = nh_tree_append(
			r->t, to, (struct nh_value[]){ { .kind = NH_V_NONE }, v[i] }, 2);
	return rc;
}

/* Moves the topmost n values into the container below them. */
static int fill(struct nh_pickle *r, enum nh_value_kind kind, size_t n)
{
	size_t floor = r->marks[r->depth];
	bool object;

	if (r->n < floor + n + 1)
		return nh_pickle_wrong(r, "too few values");
	object = r->stack[r->n - n - 1].kind == NH_V_OBJECT;
	if ((!object && r->stack[r->n - n - 1].kind != kind) || (kind == NH_V_DICT && n % 2))
		return nh_pickle_wrong(r, "its target does not fit");
	r->n -= n;
	if (object)
		return fill_object(r, r->stack[r->n - 1], kind, n);
	return (kind == NH_V_DICT ? nh_tree_fill_dict : nh_tree_append)(
		r->t, r->stack[r->n - 1], r->stack + r->n, n);
}

static int fill_from_mark(struct nh_pickle *r, enum nh_value_kind kind)
{
	if (!r->depth)
		return nh_pickle_wrong(r, "no MARK before it");
	r->depth--;
	return fill(r, kind, r->n - r->marks[r->depth + 1]);
}

int nh_pickle_appends(struct nh_pickle *r)
{
	return fill_from_mark(r, NH_V_LIST);
}

int nh_pickle_setitems(struct nh_pickle *r)
{
	return fill_from_mark(r, NH_V_DICT);
}

int nh_pickle_append(struct nh_pickle *r)
{
	return fill(r, NH_V_LIST, 1);
}

int nh_pickle_setitem(struct nh_pickle *r)
{
	return fill(r, NH_V_DICT, 2);
}
