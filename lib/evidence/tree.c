#include "evidence/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more batch of n elements. */
static int reserve(void **v, size_t *cap, size_t used, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 1024;
	void *grown;

	if (n <= *cap - used)
		return 0;
	if (n > NH_TREE_CELLS_MAX - used)
		return -E2BIG;
	while (want < used + n)
		want *= 2;
	grown = realloc(*v, want * size);
	if (!grown)
		return -ENOMEM;
	*v = grown;
	*cap = want;
	return 0;
}

int nh_tree_grow_nodes(struct nh_tree *t)
{
	return reserve((void **)&t->nodes, &t->nodes_cap, t->nnodes, 1, sizeof(*t->nodes));
}

/* Moves a node that is hemmed in to the end, with room so that this stays rare. */
static int move_to_end(struct nh_tree *t, struct nh_node *node, size_t more)
{
	size_t cap = 2 * (size_t)node->n + more;
	int rc = reserve((void **)&t->cells, &t->cells_cap, t->ncells, cap, sizeof(*t->cells));

	if (rc)
		return rc;
	if (node->n)
		memcpy(t->cells + t->ncells, t->cells + node->first, node->n * sizeof(*t->cells));
	node->first = (uint32_t)t->ncells;
	node->cap = (uint32_t)cap;
	t->ncells += cap;
	return 0;
}

int nh_tree_grow(struct nh_tree *t, struct nh_node *node, size_t n)
{
	size_t more = n - (node->cap - node->n);
	int rc;

	if (node->first + node->cap != t->ncells)
		return move_to_end(t, node, n);
	rc = reserve((void **)&t->cells, &t->cells_cap, t->ncells, more, sizeof(*t->cells));
	if (rc)
		return rc;
	t->ncells += more;
	node->cap += (uint32_t)more;
	return 0;
}

struct nh_value nh_tree_str(const struct nh_tree *t, const char *s, size_t n)
{
	return (struct nh_value){
		.kind = NH_V_STR, .word = t->word ? t->word(s, n) : 0, .n = (uint32_t)n, .s = s
	};
}

void nh_tree_reset(struct nh_tree *t)
{
	t->root = (struct nh_value){ .kind = NH_V_NONE };
	t->ncells = t->nnodes = 0;
}

void nh_tree_free(struct nh_tree *t)
{
	free(t->cells);
	free(t->nodes);
	free(t->stack);
	free(t->memo);
	memset(t, 0, sizeof(*t));
}

int64_t nh_value_parse(const struct nh_value *v, int64_t otherwise)
{
	char digits[24], *end;
	long long i;

	if (!v->n || v->n >= sizeof(digits))
		return otherwise;
	memcpy(digits, v->s, v->n);
	digits[v->n] = '\0';
	errno = 0;
	i = strtoll(digits, &end, 10);
	return errno || *end ? otherwise : i;
}

double nh_value_real(const struct nh_value *v, double otherwise)
{
	if (!v || (v->kind != NH_V_INT && v->kind != NH_V_REAL))
		return otherwise;
	return v->kind == NH_V_INT ? (double)v->i : v->d;
}
