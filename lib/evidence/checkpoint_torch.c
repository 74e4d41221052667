/* Files that torch.save wrote. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/set.h"
#include "base/str.h"
#include "evidence/checkpoint_read.h"
#include "evidence/pickle.h"

/* The old format begins with this number, pickled. */
static const char magic[] = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";
#define MAGIC_N (sizeof(magic) - 1)

static bool is_legacy(const char *buf, size_t len)
{
	return len >= MAGIC_N && !memcmp(buf, magic, MAGIC_N);
}

bool nh_checkpoint_is(const char *buf, size_t len)
{
	return (len >= 4 && !memcmp(buf, "PK\3\4", 4)) || is_legacy(buf, len);
}

/* "STEM/data.pkl" */
static bool find_pickle(const struct nh_zip *z, struct nh_zip_member *ret)
{
	static const char name[] = "data.pkl";
	const size_t n = sizeof(name) - 1;

	for (size_t at = 0; nh_zip_next(z, &at, ret);)
		if (ret->name_n >= n && !memcmp(ret->name + ret->name_n - n, name, n) &&
			(ret->name_n == n || ret->name[ret->name_n - n - 1] == '/'))
			return true;
	return false;
}

static int load_zip(struct nh_ckpt *k, struct nh_span span, char **buf, struct nh_err *err)
{
	struct nh_zip z;
	struct nh_zip_member m;
	struct nh_err inner;
	size_t used;
	int rc = nh_zip_open(span, &z, err);

	if (!rc && !find_pickle(&z, &m))
		rc = nh_fail(err, -ENOMSG, "a zip archive, but not of torch.save: no data.pkl");
	if (!rc)
		rc = nh_zip_read(&z, &m, NH_CKPT_PICKLE_MAX, buf, err);
	if (!rc) {
		rc = nh_pickle_read_inert(*buf, (size_t)m.size, &used, &k->tree, &inner);
		if (rc)
			nh_fail(err, rc, "data.pkl: %s", inner.msg);
	}
	nh_zip_close(&z);
	return rc;
}

static int64_t element_size(const struct nh_value *class)
{
	static const struct {
		const char *name;
		int64_t size;
	} sizes[] = { { "DoubleStorage", 8 }, { "LongStorage", 8 }, { "FloatStorage", 4 },
		{ "IntStorage", 4 }, { "HalfStorage", 2 }, { "BFloat16Storage", 2 },
		{ "ShortStorage", 2 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (class->n == strlen(sizes[i].name) && !memcmp(class->s, sizes[i].name, class->n))
			return sizes[i].size;
	return 1;
}

/* The least that the storages behind the pickles need. */
static int64_t storages(const struct nh_tree *t)
{
	struct nh_arena scratch = { 0 };
	struct nh_set seen = { 0 };
	int64_t need = 0;

	for (size_t i = 0; i < t->nnodes; i++) {
		const struct nh_value *v = t->cells + t->nodes[i].first;
		int64_t one;

		if (t->nodes[i].n < 5 || v[0].kind != NH_V_STR || v[0].n != 7 ||
			memcmp(v[0].s, "storage", 7) != 0 || v[1].kind != NH_V_CLASS ||
			v[2].kind != NH_V_STR || v[4].kind != NH_V_INT || v[4].i < 0)
			continue;
		if (nh_set_add(&scratch, &seen, nh_hash(v[2].s, v[2].n, 1)) &&
			(__builtin_mul_overflow(v[4].i, element_size(&v[1]), &one) ||
				__builtin_add_overflow(need, one + 8, &need)))
			need = INT64_MAX / 2;
	}
	nh_arena_free(&scratch);
	return need;
}

/* Magic number, version, system, the object, the storages' keys: five pickles, then the storages.
 */
static int load_legacy(struct nh_ckpt *k, struct nh_span span, char **buf, struct nh_err *err)
{
	size_t n = span.size < NH_CKPT_PICKLE_MAX ? (size_t)span.size : NH_CKPT_PICKLE_MAX;
	size_t at = 0, used = 0;
	int rc;

	*buf = malloc(n + 1);
	rc = *buf ? nh_span_read(&span, 0, *buf, n) : -ENOMEM;
	if (rc)
		return nh_fail(err, rc, "%s", strerror(-rc));
	for (int i = 0; !rc && i < 4; i++, at += used) {
		struct nh_err inner;

		rc = nh_pickle_read_inert(*buf + at, n - at, &used, &k->tree, &inner);
		if (rc)
			nh_fail(err, rc, "pickle %d, which begins at byte %zu: %s", i + 1, at,
				inner.msg);
	}
	if (!rc && storages(&k->tree) > span.size - (int64_t)at)
		nh_ckpt_torn(k, "cut: its tensors need %lld bytes, %lld are left in it",
			(long long)storages(&k->tree), (long long)(span.size - (int64_t)at));
	return rc;
}

int nh_ckpt_load(struct nh_ckpt *k, struct nh_span span, char **buf, struct nh_err *err)
{
	char head[MAGIC_N] = "";
	size_t n = span.size < (int64_t)MAGIC_N ? (size_t)span.size : MAGIC_N;
	int rc = nh_span_read(&span, 0, head, n);

	*buf = NULL;
	if (rc)
		return nh_fail(err, rc, "%s", strerror(-rc));
	if (is_legacy(head, n)) {
		if (!k->row.layout)
			k->row.layout = NH_CKPT_TORCH_LEGACY;
		return load_legacy(k, span, buf, err);
	}
	return nh_checkpoint_is(head, n)
		       ? load_zip(k, span, buf, err)
		       : nh_fail(err, -ENOMSG, "not a file that torch.save wrote");
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* It may be a checkpoint, so that nobody can say that none is torn. */
static void unread(struct nh_case *c, const char *source, const char *why)
{
	struct nh_gap *gap = nh_push(c->arena, &c->gaps);

	gap->subject = source;
	gap->what = "checkpoint";
	gap->why = nh_utf8_repair(c->arena, why, strlen(why));
	gap->needed = true;
}

static void add_row(struct nh_ckpt *k, struct nh_case *c)
{
	*nh_case_row(c, checkpoint, checkpoints) = k->row;
}

/* A file that is cut is still a checkpoint: what was to be in it is unknown. */
static int use(struct nh_ckpt *k, int rc, bool legacy, const char *name, struct nh_err *err)
{
	struct nh_err inner = *err;
	bool any = false;

	if (rc == -ENODATA || rc == -EBADMSG || (rc == -EINVAL && legacy)) {
		nh_ckpt_torn(k, "%s", inner.msg);
		return 0;
	}
	if (rc)
		return nh_fail(err, rc, "%s: %.500s", name, inner.msg);
	nh_ckpt_keys(k, &k->tree.root, false);
	for (int i = 0; i < NH_CKPT_STATES; i++)
		any |= k->row.state[i] != 0;
	if (!any)
		return nh_fail(err, -ENOMSG,
			"%s: torch.save wrote it, but it holds no state dict: no checkpoint", name);
	if (!k->row.layout)
		k->row.layout = NH_CKPT_TORCH_ZIP;
	nh_ckpt_settle(k);
	return 0;
}

int nh_checkpoint_file(struct nh_case *c, const char *name, int fd, struct nh_err *err)
{
	struct nh_ckpt k = { .a = c->arena };
	struct nh_err inner = { "" };
	struct stat st;
	char *buf = NULL;
	int rc = fstat(fd, &st) ? -errno : 0;

	if (rc || !S_ISREG(st.st_mode))
		return nh_fail(err, rc ? rc : -EINVAL, "%s: %s", name,
			rc ? strerror(-rc) : "a checkpoint is read in place: it must be a file");
	nh_row_init(&nh_checkpoint_type, &k.row);
	k.row.source = nh_utf8_repair(c->arena, name, strlen(name));
	k.row.bytes = st.st_size;
	k.row.files = 1;
	k.row.began_ms = k.row.done_ms = st.st_mtim.tv_sec * 1000LL + st.st_mtim.tv_nsec / 1000000;
	k.row.read_ms = now_ms();
	nh_ckpt_host(&k.row);
	rc = nh_ckpt_load(&k, (struct nh_span){ fd, 0, st.st_size }, &buf, &inner);
	rc = use(&k, rc, k.row.layout == NH_CKPT_TORCH_LEGACY, name, &inner);
	if (!rc)
		add_row(&k, c);
	else if (rc != -ENOMSG)
		unread(c, k.row.source, inner.msg);
	if (rc)
		nh_fail(err, rc, "%s", inner.msg);
	nh_tree_free(&k.tree);
	free(buf);
	return rc;
}
