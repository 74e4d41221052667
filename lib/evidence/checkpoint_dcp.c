/* Directories of torch.distributed.checkpoint: .metadata says which slice of which shard is what.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "evidence/checkpoint_read.h"
#include "evidence/pickle.h"
#include "know/checkpoint.h"

#define NAMES_SHOWN 4 /* shards named as missing */

/* Where a value lies. */
struct slice {
	const struct nh_value *fqn, *file; /* strings of the tree */
	int64_t at, n;
};
struct slices {
	NH_VEC(struct slice) v;
};

/* A field of an object: the state that BUILD gave it is a dict. */
static const struct nh_value *field(
	const struct nh_tree *t, const struct nh_value *object, const char *name)
{
	size_t n, m;
	const struct nh_value *pairs = nh_tree_items(t, object, &n);

	for (size_t i = 0; object->kind == NH_V_OBJECT && i + 1 < n; i += 2) {
		const struct nh_value *state = nh_tree_items(t, &pairs[i + 1], &m);

		for (size_t j = 0; pairs[i + 1].kind == NH_V_DICT && j + 1 < m; j += 2)
			if (state[j].kind == NH_V_STR && state[j].n == strlen(name) &&
				!memcmp(state[j].s, name, state[j].n))
				return &state[j + 1];
	}
	return NULL;
}

/* The first segment that names a state: "app.optim.state.weight.step" is the optimizer's. */
static int state_of(const struct nh_value *fqn)
{
	const char *s = fqn->s, *end = s + fqn->n, *dot;
	int state = -1;

	for (int depth = 0; s < end && depth < 3 && state < 0; s = dot + 1, depth++) {
		dot = memchr(s, '.', (size_t)(end - s));
		dot = dot ? dot : end;
		state = nh_ckpt_key(s, (size_t)(dot - s));
	}
	if (state == NH_CKPT_RNG && memmem(fqn->s, fqn->n, "cuda", 4))
		return NH_CKPT_CUDA_RNG;
	return state < 0 ? NH_CKPT_MODEL : state;
}

static void read_keys(struct nh_ckpt *k, const struct nh_value *dict)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&k->tree, dict, &n);

	for (size_t i = 0; i + 1 < n; i += 2)
		if (items[i].kind == NH_V_STR)
			nh_ckpt_mark(k, state_of(&items[i]), NH_PRESENT, items[i].s, items[i].n);
}

static void read_slices(struct nh_ckpt *k, const struct nh_value *dict, struct slices *ret)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&k->tree, dict, &n);

	for (size_t i = 0; i + 1 < n; i += 2) {
		const struct nh_value *file = field(&k->tree, &items[i + 1], "relative_path");
		struct slice s = { .fqn = field(&k->tree, &items[i], "fqn"), .file = file };

		s.at = nh_value_int(field(&k->tree, &items[i + 1], "offset"), -1);
		s.n = nh_value_int(field(&k->tree, &items[i + 1], "length"), -1);
		if (file && file->kind == NH_V_STR)
			*nh_push(k->a, &ret->v) = s;
	}
}

static int by_file(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;
	size_t n = x->file->n < y->file->n ? x->file->n : y->file->n;
	int rc = memcmp(x->file->s, y->file->s, n);

	return rc ? rc : (x->file->n > y->file->n) - (x->file->n < y->file->n);
}

/* Where the furthest slice of the first n ends, -1 for one that cannot be. */
static int64_t furthest(const struct slice *s, size_t n)
{
	int64_t most = 0, end;

	for (size_t i = 0; i < n; i++) {
		if (s[i].at < 0 || s[i].n < 0 || __builtin_add_overflow(s[i].at, s[i].n, &end))
			return -1;
		most = end > most ? end : most;
	}
	return most;
}

/* False if the shard is missing. */
static bool check_shard(
	struct nh_ckpt *k, int dirfd, const char *rel, const struct slice *s, size_t n)
{
	const char *name = nh_arena_strndup(k->a, s->file->s, s->file->n);
	int64_t end = furthest(s, n);
	struct stat st;

	if (*name == '/' || strstr(name, "..")) {
		nh_ckpt_torn(
			k, "%s.metadata names a file outside of the checkpoint: %s", rel, name);
		return true;
	}
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	if (end < 0)
		nh_ckpt_torn(k, "%s.metadata gives %s a negative or endless slice", rel, name);
	else if (end > st.st_size)
		nh_ckpt_torn(k,
			"%s%s is cut: %" PRId64 " bytes, but .metadata has a slice up to %" PRId64,
			rel, name, (int64_t)st.st_size, end);
	return true;
}

static void check_shards(struct nh_ckpt *k, int dirfd, const char *rel, struct slices *all)
{
	size_t missing = 0;
	int64_t rank = -1, last = -1;

	if (all->v.n)
		qsort(all->v.v, all->v.n, sizeof(*all->v.v), by_file);
	k->row.ranks = k->row.ranks == NH_UNKNOWN ? 0 : k->row.ranks;
	for (size_t i = 0, end; i < all->v.n; i = end) {
		const struct slice *s = &all->v.v[i];

		for (end = i + 1; end < all->v.n && !by_file(s, &all->v.v[end]); end++)
			;
		if (s->file->n > 3 && !memcmp(s->file->s, "__", 2))
			rank = strtol(
				nh_arena_strndup(k->a, s->file->s + 2, s->file->n - 2), NULL, 10);
		k->row.ranks += rank != last;
		last = rank;
		if (!check_shard(k, dirfd, rel, s, end - i) && ++missing <= NAMES_SHOWN)
			nh_ckpt_torn(k, "%s%s is missing: rank %" PRId64 " wrote it", rel,
				nh_arena_strndup(k->a, s->file->s, s->file->n), rank);
	}
	if (missing > NAMES_SHOWN)
		nh_ckpt_torn(k, "%zu more shards are missing", missing - NAMES_SHOWN);
}

/* What a small value is: every slice is a torch.save file of its own. */
static void read_value(struct nh_ckpt *k, int dirfd, const struct slice *s, int state)
{
	struct nh_ckpt one = { .a = k->a };
	const char *name = nh_arena_strndup(k->a, s->file->s, s->file->n);
	nh_auto_close int fd =
		strchr(name, '/')
			? -1
			: openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	char *buf = NULL;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || s->at < 0 || s->n < 0 ||
		s->at > st.st_size || s->n > st.st_size - s->at)
		return;
	if (!nh_ckpt_load(&one, (struct nh_span){ fd, s->at, s->n }, &buf, NULL)) {
		if (state == NH_CKPT_CUDA_RNG)
			k->row.cuda_rng = nh_ckpt_presence(&one, &one.tree.root);
		else if (one.tree.root.kind == NH_V_INT)
			k->row.step = one.tree.root.i;
	}
	nh_tree_free(&one.tree);
	free(buf);
}

static void read_values(struct nh_ckpt *k, int dirfd, const struct slices *all)
{
	bool done[NH_CKPT_STATES] = { false };

	nh_for(s, &all->v) {
		int state = s->fqn && s->fqn->kind == NH_V_STR ? state_of(s->fqn) : -1;

		if ((state != NH_CKPT_CUDA_RNG && state != NH_CKPT_PROGRESS) || done[state])
			continue;
		done[state] = true;
		read_value(k, dirfd, s, state);
	}
}

static void read_metadata(struct nh_ckpt *k, int dirfd, const char *rel, const char *buf, size_t n)
{
	const struct nh_value *keys, *storage;
	struct slices all = { { 0 } };
	struct nh_err err;
	size_t used;

	if (nh_pickle_read_inert(buf, n, &used, &k->tree, &err)) {
		nh_ckpt_torn(k, "%s.metadata: %s", rel, err.msg);
		return;
	}
	keys = field(&k->tree, &k->tree.root, "state_dict_metadata");
	storage = field(&k->tree, &k->tree.root, "storage_data");
	if (!keys) {
		nh_ckpt_torn(k, "%s.metadata says nothing of a state dict", rel);
		return;
	}
	read_keys(k, keys);
	if (storage)
		read_slices(k, storage, &all);
	check_shards(k, dirfd, rel, &all);
	read_values(k, dirfd, &all);
}

void nh_ckpt_dcp(struct nh_ckpt *k, int dirfd, const char *rel, bool metadata)
{
	nh_auto_close int fd =
		metadata ? openat(dirfd, ".metadata", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	nh_auto_free char *buf = NULL;
	struct stat st;
	int rc;

	if (!metadata) {
		nh_ckpt_torn(k,
			"%s.metadata is missing: it is written last, so this save never came to its "
			"end",
			rel);
		return;
	}
	if (fd < 0 || fstat(fd, &st)) {
		nh_ckpt_torn(k, "%s.metadata: %s", rel, strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > NH_CKPT_PICKLE_MAX) {
		nh_ckpt_torn(k, "%s.metadata is no file, or larger than %u MiB", rel,
			NH_CKPT_PICKLE_MAX >> 20);
		return;
	}
	buf = malloc((size_t)st.st_size + 1);
	rc = buf ? nh_span_read(&(struct nh_span){ fd, 0, st.st_size }, 0, buf, (size_t)st.st_size)
		 : -ENOMEM;
	if (rc)
		nh_ckpt_torn(k, "%s.metadata: %s", rel, strerror(-rc));
	else
		read_metadata(k, dirfd, rel, buf, (size_t)st.st_size);
}
