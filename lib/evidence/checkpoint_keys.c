#include <stdarg.h>
#include <string.h>
#include "base/str.h"
#include "evidence/checkpoint_read.h"
#include "know/checkpoint.h"

/* Nesting in which a state may be found: {"app": {"model": …}} is two deep. */
enum { DEPTH_MAX = 3, LOOKED_MAX = 1 << 20, TORN_MAX = 32 };

void nh_ckpt_torn(struct nh_ckpt *k, const char *fmt, ...)
{
	va_list ap;
	const char *s;

	if (k->row.torn.n == TORN_MAX)
		return;
	va_start(ap, fmt);
	s = nh_arena_vprintf(k->a, fmt, ap);
	va_end(ap);
	*nh_push(k->a, &k->row.torn) = nh_utf8_repair(k->a, s, strlen(s));
}

void nh_ckpt_mark(struct nh_ckpt *k, int state, int presence, const char *key, size_t n)
{
	int *was = &k->row.state[state];

	if (*was == NH_PRESENT || presence == NH_ABSENT || presence == *was)
		return;
	*was = presence;
	*nh_push(k->a, &k->row.found) =
		nh_arena_printf(k->a, "%s: %s%s", nh_ckpt_state_words((enum nh_ckpt_state)state),
			nh_utf8_repair(k->a, key, n), presence == NH_EMPTY ? ", empty" : "");
}

void nh_ckpt_settle(struct nh_ckpt *k)
{
	for (int i = 0; i < NH_CKPT_STATES; i++)
		if (!k->row.state[i] && !nh_ckpt_untold(k->row.layout, (enum nh_ckpt_state)i))
			k->row.state[i] = NH_ABSENT;
}

static bool is_container(const struct nh_value *v)
{
	return v->kind == NH_V_LIST || v->kind == NH_V_DICT || v->kind == NH_V_OBJECT;
}

int nh_ckpt_presence(const struct nh_ckpt *k, const struct nh_value *v)
{
	size_t n;

	if (v->kind == NH_V_NONE)
		return NH_ABSENT;
	nh_tree_items(&k->tree, v, &n);
	return is_container(v) && !n ? NH_EMPTY : NH_PRESENT;
}

/* Tensors are made by torch._utils._rebuild_tensor_v2 and its kin. */
static bool is_tensor(const struct nh_ckpt *k, const struct nh_value *v)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&k->tree, v, &n);

	return v->kind == NH_V_OBJECT && n && items[0].kind == NH_V_CLASS && items[0].n > 9 &&
	       !memcmp(items[0].s, "_rebuild_", 9);
}

/* Whether a value can be the state its key names: {"optimizer": "adamw"} is a setting. */
static bool fits(const struct nh_ckpt *k, int state, const struct nh_value *v)
{
	switch (state) {
	case NH_CKPT_MODEL:
	case NH_CKPT_OPTIMIZER:
	case NH_CKPT_SCHEDULER:
		return is_container(v) && !is_tensor(k, v);
	case NH_CKPT_PROGRESS:
		return v->kind == NH_V_INT || v->kind == NH_V_REAL || is_tensor(k, v);
	case NH_CKPT_DATA:
		return is_container(v) || v->kind == NH_V_INT;
	default:
		return is_container(v) || v->kind == NH_V_STR;
	}
}

/* The RNG's own dict, or a list of them, one a rank. */
static void rng_keys(struct nh_ckpt *k, const struct nh_value *v, int depth)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&k->tree, v, &n);

	for (size_t i = 0; i < n && depth < DEPTH_MAX; i++) {
		const struct nh_value *item = &items[i];

		if (v->kind == NH_V_LIST && item->kind == NH_V_DICT)
			rng_keys(k, item, depth + 1);
		if (v->kind == NH_V_LIST || i % 2 || ++k->looked > LOOKED_MAX || i + 1 == n)
			continue;
		if (item->kind == NH_V_STR && memmem(item->s, item->n, "cuda", 4))
			nh_ckpt_mark(k, NH_CKPT_CUDA_RNG, nh_ckpt_presence(k, &items[i + 1]),
				item->s, item->n);
	}
}

static bool is_setting(const struct nh_value *key)
{
	static const char *const names[] = { "config", "cfg", "args", "hparams", "hyper_parameters",
		"_metadata", "param_groups", "state" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (key->n == strlen(names[i]) && !memcmp(key->s, names[i], key->n))
			return true;
	return false;
}

static bool all_tensors(const struct nh_ckpt *k, const struct nh_value *items, size_t n)
{
	size_t tensors = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		if (items[i].kind != NH_V_STR)
			continue;
		if (!is_tensor(k, &items[i + 1]))
			return false;
		tensors++;
	}
	return tensors > 0;
}

static void one_key(
	struct nh_ckpt *k, const struct nh_value *key, const struct nh_value *v, int state)
{
	nh_ckpt_mark(k, state, nh_ckpt_presence(k, v), key->s, key->n);
	if (state == NH_CKPT_RNG)
		rng_keys(k, v, 0);
	if (state == NH_CKPT_PROGRESS && v->kind == NH_V_INT &&
		(k->row.step == NH_UNKNOWN || !memmem(key->s, key->n, "epoch", 5)))
		k->row.step = v->i;
}

static void dict_keys(struct nh_ckpt *k, const struct nh_value *dict, int depth)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&k->tree, dict, &n);

	if (all_tensors(k, items, n)) {
		nh_ckpt_mark(k, NH_CKPT_MODEL, NH_PRESENT, "tensors", 7);
		return;
	}
	for (size_t i = 0; i + 1 < n && ++k->looked <= LOOKED_MAX; i += 2) {
		const struct nh_value *key = &items[i], *v = &items[i + 1];
		int state;

		if (key->kind != NH_V_STR)
			continue;
		if (!k->row.layout)
			k->row.layout = nh_ckpt_layout_of_key(key->s, key->n);
		state = nh_ckpt_key(key->s, key->n);
		if (state >= 0 && fits(k, state, v))
			one_key(k, key, v, state);
		else if (is_container(v) && v->kind != NH_V_LIST && !is_tensor(k, v) &&
			 !is_setting(key) && depth + 1 < DEPTH_MAX)
			dict_keys(k, v, depth + 1);
	}
}

/* A storage's persistent id is ("storage", class, key, location, elements). */
static bool on_gpu(const struct nh_tree *t)
{
	for (size_t i = 0; i < t->nnodes; i++) {
		const struct nh_value *v = t->cells + t->nodes[i].first;

		if (t->nodes[i].n >= 5 && v[0].kind == NH_V_STR && v[0].n == 7 &&
			!memcmp(v[0].s, "storage", 7) && v[3].kind == NH_V_STR && v[3].n >= 4 &&
			!memcmp(v[3].s, "cuda", 4))
			return true;
	}
	return false;
}

void nh_ckpt_keys(struct nh_ckpt *k, const struct nh_value *dict, bool rng)
{
	if (dict->kind != NH_V_DICT && dict->kind != NH_V_OBJECT)
		return;
	k->row.cuda |= on_gpu(&k->tree);
	if (rng)
		rng_keys(k, dict, 0);
	else
		dict_keys(k, dict, 0);
}
