/* The restricted pickle reader, in place of a whole file. */
#include "replay.h"
#include "evidence/pickle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nh_tree t = { 0 };
	struct nh_err err;
	size_t n;

	if (!nh_pickle_read((const char *)data, size, &t, &err))
		nh_tree_items(&t, &t.root, &n);
	for (size_t i = 0; i < t.nnodes; i++)
		if (t.nodes[i].first + (size_t)t.nodes[i].n > t.ncells)
			abort();
	nh_tree_free(&t);
	return 0;
}
