/* Checkpoint directories: which files are there, and whether they belong together. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "evidence/checkpoint_read.h"
#include "know/checkpoint.h"

enum {
	ENTRIES_MAX = 1 << 16,
	ARCHIVES_MAX = 256, /* whose central directories are checked */
	KEYED_MAX = 4,	    /* whose keys are read */
	RANKS_MAX = 1 << 16,
};

/* Files of which every rank writes one: the number after the prefix is the rank. */
static const char *const per_rank[] = { "rng_state_", "random_states_", "zero_pp_rank_",
	"bf16_zero_pp_rank_" };
#define FAMILIES (sizeof(per_rank) / sizeof(*per_rank))

struct family {
	bool *there; /* by rank, RANKS_MAX of them */
	int64_t most;
	const char *example;
};

/* A directory being gone through. */
struct scan {
	struct nh_ckpt k;
	struct family families[FAMILIES];
	int layout; /* proved by a name */
	size_t entries, archives, keyed;
	NH_VEC(const char *) within; /* subdirectories that belong to it */
};

static const struct nh_ckpt_name *name_of(int dirfd, const char *name, struct stat *st)
{
	const struct nh_ckpt_name *what = nh_ckpt_name(name);

	if (fstatat(dirfd, name, st, 0))
		return NULL;
	return what && what->within == (S_ISDIR(st->st_mode) != 0) ? what : NULL;
}

/* A marker's text, without blanks; NULL = there is no such file. */
static const char *marker_text(int dirfd, const struct nh_ckpt_marker *m, char *buf, size_t size)
{
	nh_auto_close int fd = openat(dirfd, m->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	n = read(fd, buf, size - 1);
	while (n > 0 && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

/* What a marker names and is not there; NULL = all is well. */
static const char *lost_target(int dirfd, const struct nh_ckpt_marker *m, char *buf, size_t size)
{
	const char *name = marker_text(dirfd, m, buf, size);
	char number[32], *end;
	struct stat st;

	if (!name)
		return NULL;
	if (m->number && *name) {
		int n = snprintf(
			number, sizeof(number), "iter_%07jd", (intmax_t)strtoll(name, &end, 10));

		if (*end)
			return NULL; /* "release" */
		memcpy(buf, number, (size_t)n + 1);
	}
	return !strchr(name, '/') && *name && !fstatat(dirfd, name, &st, 0) ? NULL : name;
}

static bool marker_lost(int dirfd)
{
	char buf[256];

	for (const struct nh_ckpt_marker *m = nh_ckpt_markers; m->file; m++)
		if (lost_target(dirfd, m, buf, sizeof(buf)))
			return true;
	return false;
}

bool nh_checkpoint_is_dir(const char *path)
{
	nh_auto_dir DIR *dir = opendir(path);
	const struct nh_ckpt_name *what;
	const struct dirent *e;
	struct stat st;

	for (int n = 0; dir && n < ENTRIES_MAX && (e = readdir(dir)); n++) {
		what = name_of(dirfd(dir), e->d_name, &st);
		if (what && what->layout)
			return true;
	}
	return dir && marker_lost(dirfd(dir));
}

static void count(struct nh_checkpoint *row, const struct stat *st)
{
	int64_t ms = st->st_mtim.tv_sec * 1000LL + st->st_mtim.tv_nsec / 1000000;

	row->files++;
	row->bytes += st->st_size;
	if (row->began_ms == NH_UNKNOWN || ms < row->began_ms)
		row->began_ms = ms;
	if (row->done_ms == NH_UNKNOWN || ms > row->done_ms)
		row->done_ms = ms;
}

static void note_rank(struct scan *s, const char *name)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		struct family *f = &s->families[i];
		size_t n = strlen(per_rank[i]);
		long rank;

		if (strncmp(name, per_rank[i], n) != 0 || !isdigit((unsigned char)name[n]))
			continue;
		rank = strtol(name + n, NULL, 10);
		if (rank >= RANKS_MAX)
			continue;
		if (!f->there)
			f->there = nh_new(s->k.a, bool, RANKS_MAX);
		f->there[rank] = true;
		f->example = nh_arena_strdup(s->k.a, name + n);
		f->most = rank > f->most ? rank : f->most;
	}
}

/* "rng_state_2.pth is missing, though rank 3's is there" */
static void missing_ranks(struct scan *s)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct family *f = &s->families[i];
		const char *rest = f->example;

		if (!f->there)
			continue;
		while (isdigit((unsigned char)*rest))
			rest++;
		for (int64_t rank = 0; rank < f->most; rank++)
			if (!f->there[rank])
				nh_ckpt_torn(&s->k,
					"%s%" PRId64 "%s is missing, though rank %" PRId64
					"'s is there",
					per_rank[i], rank, rest, f->most);
	}
}

/* A torch.save file: is it whole, and what do its keys say? */
static void archive(struct scan *s, int dirfd, const char *rel, const char *name,
	const struct nh_ckpt_name *what, int64_t size)
{
	nh_auto_close int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct nh_span span = { fd, 0, size };
	bool keys = what->keys && s->keyed++ < KEYED_MAX;
	char head[16], *buf = NULL;
	struct nh_err err;
	struct nh_zip z;
	int rc;

	if (fd < 0 || s->archives++ >= ARCHIVES_MAX || nh_span_read(&span, 0, head, sizeof(head)) ||
		!nh_checkpoint_is(head, sizeof(head)))
		return;
	if (keys) {
		rc = nh_ckpt_load(&s->k, span, &buf, &err);
		if (!rc)
			nh_ckpt_keys(&s->k, &s->k.tree.root, what->state == NH_CKPT_RNG);
		free(buf);
	} else if (head[0] == 'P') {
		rc = nh_zip_open(span, &z, &err);
		nh_zip_close(&z);
	} else {
		return;
	}
	if (rc)
		nh_ckpt_torn(&s->k, "%s%s: %s", rel, name, err.msg);
}

static void one_file(struct scan *s, int dirfd, const char *rel, const char *name,
	const struct nh_ckpt_name *what, const struct stat *st)
{
	if (!st->st_size) {
		nh_ckpt_torn(&s->k, "%s%s is empty", rel, name);
		return;
	}
	if (what->state >= 0)
		nh_ckpt_mark(&s->k, what->state, NH_PRESENT, name, strlen(name));
	note_rank(s, name);
	if (S_ISREG(st->st_mode) && (what->keys || what->state >= 0))
		archive(s, dirfd, rel, name, what, st->st_size);
}

/* One entry; shards and metadata are judged together at the end. */
static void one_entry(
	struct scan *s, int dirfd, const char *rel, const char *name, bool *shards, bool *metadata)
{
	struct stat st;
	const struct nh_ckpt_name *what = name_of(dirfd, name, &st);

	if (what && what->layout > s->layout && !*rel)
		s->layout = what->layout;
	if (what && what->within) {
		*nh_push(s->k.a, &s->within) = nh_arena_strdup(s->k.a, name);
		if (what->state >= 0)
			nh_ckpt_mark(&s->k, what->state, NH_PRESENT, name, strlen(name));
		return;
	}
	if (!fstatat(dirfd, name, &st, 0) && S_ISREG(st.st_mode))
		count(&s->k.row, &st);
	*metadata |= !strcmp(name, ".metadata") ||
		     (nh_starts_with(name, "__") && nh_ends_with(name, ".metadata"));
	*shards |= nh_ends_with(name, ".distcp");
	if (what)
		one_file(s, dirfd, rel, name, what, &st);
}

static int scan_dir(struct scan *s, const char *path, const char *rel)
{
	nh_auto_dir DIR *dir = opendir(path);
	bool shards = false, metadata = false;
	const struct dirent *e;

	if (!dir)
		return -errno;
	while ((e = readdir(dir)) && s->entries++ < ENTRIES_MAX)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			one_entry(s, dirfd(dir), rel, e->d_name, &shards, &metadata);
	if (shards || metadata)
		nh_ckpt_dcp(&s->k, dirfd(dir), rel, metadata);
	return 0;
}

static void markers(struct scan *s, const char *path)
{
	nh_auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[256];

	for (const struct nh_ckpt_marker *m = nh_ckpt_markers; fd >= 0 && m->file; m++) {
		const char *name = lost_target(fd, m, buf, sizeof(buf));

		if (name && !s->layout)
			s->layout = m->layout;
		if (name)
			nh_ckpt_torn(&s->k, "%s names %s, which is not there", m->file,
				*name ? name : "nothing");
	}
}

/* checkpoint-1200, step_1200, iter_0001200 */
static int64_t step_of(const char *path)
{
	size_t n = strlen(path), digits = 0;

	while (n && path[n - 1] == '/')
		n--;
	while (digits < n && isdigit((unsigned char)path[n - digits - 1]))
		digits++;
	return digits && digits < 12 ? strtoll(path + n - digits, NULL, 10) : NH_UNKNOWN;
}

/* What could not be read of a torn directory is not known to be absent. */
static void finish(struct scan *s, const char *path)
{
	struct nh_checkpoint *row = &s->k.row;
	bool any = false;

	row->layout = s->layout;
	if (row->step == NH_UNKNOWN)
		row->step = step_of(path);
	missing_ranks(s);
	for (int i = 0; i < NH_CKPT_STATES; i++)
		any |= row->state[i] == NH_PRESENT;
	if (any)
		nh_ckpt_settle(&s->k);
}

int nh_checkpoint_dir(struct nh_case *c, const char *path, struct nh_err *err)
{
	struct scan *s = nh_new(c->arena, struct scan, 1);
	struct timespec now;
	bool proved;
	int rc;

	s->k.a = c->arena;
	nh_row_init(&nh_checkpoint_type, &s->k.row);
	s->k.row.source = nh_utf8_repair(c->arena, path, strlen(path));
	s->k.row.bytes = s->k.row.files = 0;
	clock_gettime(CLOCK_REALTIME, &now);
	s->k.row.read_ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
	nh_ckpt_host(&s->k.row);
	rc = scan_dir(s, path, "");
	if (rc)
		return nh_fail(err, rc, "%s: %s", path, strerror(-rc));
	nh_for(name, &s->within)
		scan_dir(s, nh_arena_printf(c->arena, "%s/%s", path, *name),
			nh_arena_printf(c->arena, "%s/", *name));
	proved = s->layout != 0;
	markers(s, path);
	finish(s, path);
	nh_tree_free(&s->k.tree);
	*nh_case_row(c, checkpoint, checkpoints) = s->k.row;
	return proved ? 0 : 1;
}
