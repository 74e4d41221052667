#include "evidence/json_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int convert(struct nh_tree *t, json_t *j, int depth, struct nh_value *ret);

static int array(struct nh_tree *t, json_t *j, int depth, struct nh_value to)
{
	struct nh_value v;
	int rc = 0;

	for (size_t i = 0; !rc && i < json_array_size(j); i++) {
		rc = convert(t, json_array_get(j, i), depth, &v);
		if (!rc)
			rc = nh_tree_append(t, to, &v, 1);
	}
	return rc;
}

static int object(struct nh_tree *t, json_t *j, int depth, struct nh_value to)
{
	struct nh_value *pairs = malloc((json_object_size(j) + 1) * 2 * sizeof(*pairs));
	const char *key;
	json_t *value;
	size_t n = 0;
	int rc = pairs ? 0 : -ENOMEM;

	for (void *it = json_object_iter(j); !rc && it; it = json_object_iter_next(j, it)) {
		key = json_object_iter_key(it);
		value = json_object_iter_value(it);
		pairs[n] = nh_tree_str(t, key, strlen(key));
		rc = convert(t, value, depth, &pairs[n + 1]);
		n += 2;
	}
	if (!rc)
		rc = nh_tree_fill_dict(t, to, pairs, n);
	free(pairs);
	return rc;
}

static int convert(struct nh_tree *t, json_t *j, int depth, struct nh_value *ret)
{
	bool dict = json_is_object(j);
	int rc;

	*ret = (struct nh_value){ .kind = NH_V_NONE };
	if (dict || json_is_array(j)) {
		if (depth == NH_JSON_DEPTH_MAX)
			return 0;
		rc = nh_tree_container(t, dict ? NH_V_DICT : NH_V_LIST, ret);
		if (rc)
			return rc;
		return dict ? object(t, j, depth + 1, *ret) : array(t, j, depth + 1, *ret);
	}
	if (json_is_string(j))
		*ret = nh_tree_str(t, json_string_value(j), json_string_length(j));
	else if (json_is_integer(j))
		*ret = (struct nh_value){ .kind = NH_V_INT, .i = json_integer_value(j) };
	else if (json_is_real(j))
		*ret = (struct nh_value){ .kind = NH_V_REAL, .d = json_real_value(j) };
	else if (json_is_boolean(j))
		*ret = (struct nh_value){ .kind = NH_V_BOOL, .i = json_is_true(j) };
	return 0;
}

int nh_json_tree(
	const char *buf, size_t len, struct nh_tree *ret, json_t **keep, struct nh_err *err)
{
	json_error_t e;
	int rc;

	*keep = json_loadb(buf, len, JSON_REJECT_DUPLICATES, &e);
	if (!*keep)
		return nh_fail(err, -EINVAL, "not valid JSON at byte %d: %s", e.position, e.text);
	nh_tree_reset(ret);
	rc = convert(ret, *keep, 0, &ret->root);
	return rc ? nh_fail(err, rc, "%s", strerror(-rc)) : 0;
}
