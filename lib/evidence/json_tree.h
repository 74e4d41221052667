/* JSON text as a tree of inert values. */
#ifndef NH_EVIDENCE_JSON_TREE_H
#define NH_EVIDENCE_JSON_TREE_H

#include <jansson.h>
#include "base/err.h"
#include "evidence/tree.h"

/* Containers nested deeper than this read as None: no dump has them. */
#define NH_JSON_DEPTH_MAX 8

/*
 * Reads the JSON at buf into ret (as nh_pickle_read).  *keep holds the strings the tree points
 * into: json_decref() it after the tree's last use, in any case.  0 or -EINVAL, -E2BIG, -ENOMEM.
 */
int nh_json_tree(
	const char *buf, size_t len, struct nh_tree *ret, json_t **keep, struct nh_err *err);

#endif
