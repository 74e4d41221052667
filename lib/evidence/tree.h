/*
 * What a pickle or a JSON text says, as inert values: numbers, strings, lists, dicts.  Strings
 * point into the bytes they were read from, which must outlive the tree.
 */
#ifndef NH_EVIDENCE_TREE_H
#define NH_EVIDENCE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nh_value_kind {
	NH_V_NONE,
	NH_V_BOOL, /* i */
	NH_V_INT,  /* i */
	NH_V_REAL, /* d */
	NH_V_STR,  /* s, n bytes; not terminated, any bytes */
	NH_V_LIST, /* node; tuples too */
	NH_V_DICT, /* node; its items are key, value, key, value … */
	/* Only of inert pickles: */
	NH_V_CLASS,  /* s, n bytes: its name without the module */
	NH_V_OBJECT, /* node: what made it and of what, then items as a dict's; state and elements
		      * have NONE for a key */
};

struct nh_value {
	uint8_t kind; /* enum nh_value_kind */
	uint8_t word; /* NH_V_STR: what nh_tree.word said of it */
	uint32_t n;
	union {
		int64_t i;
		double d;
		const char *s;
		uint32_t node;
	};
};

/* A list's or dict's items: cells first … first + n - 1. */
struct nh_node {
	uint32_t first, n, cap;
};

/* More than any dump needs: 64 Mi cells are a gigabyte. */
#define NH_TREE_CELLS_MAX (64u << 20)

struct nh_tree {
	/* A number for a string of interest, 0 for every other; called once per string read. */
	uint8_t (*word)(const char *s, size_t n);
	/* May take a dict's items (key, value … n of them, n > 0) as they come; the dict stays
	 * empty then.  False = not taken.  NULL = none is. */
	bool (*take)(void *ctx, const struct nh_value *items, size_t n);
	void *ctx;
	struct nh_value root;
	struct nh_value *cells;
	struct nh_node *nodes;
	size_t ncells, cells_cap, nnodes, nodes_cap;
	/* The pickle reader's own; all buffers are kept for the next file. */
	struct nh_value *stack, *memo;
	size_t stack_cap, memo_cap;
};

/* Makes room for one more node, or for n more values at the end of a node.  0, -ENOMEM, or -E2BIG
 * past the limit, as for all that follows. */
int nh_tree_grow_nodes(struct nh_tree *t);
int nh_tree_grow(struct nh_tree *t, struct nh_node *node, size_t n);

/* A new empty list or dict. */
static inline int nh_tree_container(
	struct nh_tree *t, enum nh_value_kind kind, struct nh_value *ret)
{
	int rc = t->nnodes < t->nodes_cap ? 0 : nh_tree_grow_nodes(t);

	if (rc)
		return rc;
	*ret = (struct nh_value){ .kind = (uint8_t)kind, .node = (uint32_t)t->nnodes };
	t->nodes[t->nnodes++] = (struct nh_node){ (uint32_t)t->ncells, 0, 0 };
	return 0;
}

/* Adds n values at the end of a list or dict; v must not point into the tree. */
static inline int nh_tree_append(
	struct nh_tree *t, struct nh_value to, const struct nh_value *v, size_t n)
{
	struct nh_node *node = &t->nodes[to.node];
	int rc = 0;

	if (!node->cap && n <= t->cells_cap - t->ncells) { /* its first, as mostly: at the end */
		*node = (struct nh_node){ (uint32_t)t->ncells, 0, (uint32_t)n };
		t->ncells += n;
	} else if (n > node->cap - node->n) {
		rc = nh_tree_grow(t, node, n);
	}
	for (size_t i = 0; !rc && i < n; i++)
		t->cells[node->first + node->n++] = v[i];
	return rc;
}

/* Adds items to a dict, or hands them to the taker. */
static inline int nh_tree_fill_dict(
	struct nh_tree *t, struct nh_value to, const struct nh_value *items, size_t n)
{
	return n && t->take && t->take(t->ctx, items, n) ? 0 : nh_tree_append(t, to, items, n);
}

/* A string value. */
struct nh_value nh_tree_str(const struct nh_tree *t, const char *s, size_t n);
/* Forgets all values, keeps the buffers. */
void nh_tree_reset(struct nh_tree *t);
void nh_tree_free(struct nh_tree *t);

/* The items of a list, dict or object, *n cells; NULL and 0 for an empty one and anything else. */
static inline const struct nh_value *nh_tree_items(
	const struct nh_tree *t, const struct nh_value *v, size_t *n)
{
	bool is = v && (v->kind == NH_V_LIST || v->kind == NH_V_DICT || v->kind == NH_V_OBJECT);

	*n = is ? t->nodes[v->node].n : 0;
	return *n ? t->cells + t->nodes[v->node].first : NULL;
}

/* The number that a string is. */
int64_t nh_value_parse(const struct nh_value *v, int64_t otherwise);
/* An integer, also one that JSON wrote as a string; else otherwise. */
static inline int64_t nh_value_int(const struct nh_value *v, int64_t otherwise)
{
	if (v && v->kind == NH_V_INT)
		return v->i;
	return v && v->kind == NH_V_STR ? nh_value_parse(v, otherwise) : otherwise;
}
double nh_value_real(const struct nh_value *v, double otherwise);

#endif
