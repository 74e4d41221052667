/* Where dumps and checkpoints go, and whether there is room. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/str.h"
#include "know/evidence_env.h"
#include "preflight/internal.h"
#include "proc/read.h"

/* Of 16 ranks with 2000 entries each with stacks: a dump has 0.4 MB without and a few with them. */
#define DUMPS_BYTES (256LL << 20)
/* A disk with less is as good as full for whatever is saved there. */
#define DISK_BYTES (1LL << 30)

static const char *size_words(struct nh_arena *a, uint64_t bytes)
{
	return bytes >> 30 ? nh_arena_printf(a, "%.1f GiB", (double)bytes / (1 << 30))
			   : nh_arena_printf(a, "%.0f MiB", (double)bytes / (1 << 20));
}

/* By mode bits: whether the owner of the process may create files there.  Supplementary groups and
 * ACLs are not looked at. */
static bool may_write(const struct nh_flying *f, const char *path, const struct stat *st)
{
	mode_t need = S_IWOTH | S_IXOTH;

	if (f->uid == (int64_t)geteuid())
		return !access(path, W_OK | X_OK);
	if (!f->uid)
		return true;
	if (f->uid == (int64_t)st->st_uid)
		need <<= 6;
	else if (f->gid == (int64_t)st->st_gid)
		need <<= 3;
	return (st->st_mode & need) == need;
}

static const char *folder_of(struct nh_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash	       ? "."
	       : slash == path ? "/"
			       : nh_arena_strndup(a, path, (size_t)(slash - path));
}

/* What is wrong with a folder to write into; NULL = nothing, and what is free in it. */
static const char *trouble(const struct nh_flying *f, const char *folder, uint64_t *room)
{
	const char *path = nh_flying_path(f, folder);
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) || statvfs(path, &fs))
		return errno == ENOENT ? "does not exist" : strerror(errno);
	*room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (!S_ISDIR(st.st_mode))
		return "is no folder";
	if (fs.f_flag & ST_RDONLY)
		return "is on a file system mounted read-only";
	return may_write(f, path, &st) ? NULL : "is not writable for the process";
}

void nh_check_dump_path(struct nh_flying *f)
{
	const char *prefixes[NH_DUMP_PREFIXES];
	size_t n = nh_dump_prefixes(f->a, f->env, f->env_len, f->torch, prefixes);

	for (size_t i = 0; i < n; i++) {
		const char *folder = folder_of(f->a, prefixes[i]), *bad;
		bool made =
			nh_ends_with(folder, "/torch"); /* by PyTorch, with the folder above it */
		struct nh_check *c;
		uint64_t room = 0;

		bad = trouble(f, folder, &room);
		for (int up = 0; up < 2 && made && nh_streq(bad, "does not exist"); up++) {
			folder = folder_of(f->a, folder);
			bad = trouble(f, folder, &room);
		}
		if (!bad && room >= DUMPS_BYTES) {
			nh_check_add(f, NH_CHECK_FINE, "dump path", "%sRANK: writable, %s free",
				prefixes[i], size_words(f->a, room));
			continue;
		}
		c = nh_check_add(f, NH_CHECK_OFF, "dump path", "%sRANK: %s %s", prefixes[i], folder,
			bad ? bad : nh_arena_printf(f->a, "has %s free", size_words(f->a, room)));
		c->why = "the recorder's dumps cannot be written";
		c->cost = "a few MB for each rank";
		c->command =
			f->torch != NH_UNKNOWN && f->torch <= NH_TORCH_OLD
				? "export TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/var/tmp/nccl_trace_rank_"
				: "export TORCH_FR_DUMP_TEMP_FILE=/var/tmp/nccl_trace_rank_ "
				  "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/var/tmp/nccl_trace_rank_";
	}
}

static int64_t mem_available(void)
{
	char buf[4096];
	const char *at = nh_read_small(-1, "/proc/meminfo", buf, sizeof(buf)) > 0
				 ? strstr(buf, "\nMemAvailable:")
				 : NULL;

	return at ? strtoll(at + 14, NULL, 10) << 10 : NH_UNKNOWN;
}

/* A number of the unified hierarchy's folder of the process; NH_UNKNOWN for "max" and without. */
static int64_t cgroup_number(const struct nh_flying *f, const char *file)
{
	char buf[4096], text[32];
	const char *at =
		nh_read_small(f->dir, "cgroup", buf, sizeof(buf)) > 0 ? strstr(buf, "0::/") : NULL;
	const char *path;
	char *end;
	int64_t n;

	if (!at)
		return NH_UNKNOWN;
	path = nh_arena_printf(
		f->a, "/sys/fs/cgroup%.*s/%s", (int)strcspn(at + 3, "\n"), at + 3, file);
	if (nh_read_small(-1, path, text, sizeof(text)) <= 0)
		return NH_UNKNOWN;
	n = strtoll(text, &end, 10);
	return end == text ? NH_UNKNOWN : n;
}

static void check_memory(struct nh_flying *f)
{
	int64_t room = mem_available(), most = cgroup_number(f, "memory.max");
	int64_t used = cgroup_number(f, "memory.current");
	const char *limit = "";

	if (room == NH_UNKNOWN)
		return;
	if (most != NH_UNKNOWN && used != NH_UNKNOWN) {
		limit = nh_arena_printf(f->a, "; its cgroup allows %s more",
			size_words(f->a, (uint64_t)(most > used ? most - used : 0)));
	}
	nh_check_add(f, NH_CHECK_FINE, "memory for checkpoints",
		"%s available%s; an asynchronous save keeps a copy of the host's share of the "
		"state there",
		size_words(f->a, (uint64_t)room), limit);
}

void nh_check_room(struct nh_flying *f)
{
	char cwd[4097];
	uint64_t room = 0;
	const char *bad = trouble(f, ".", &room);
	const char *where = nh_read_link(f->dir, "cwd", cwd, sizeof(cwd)) > 0 ? cwd : "?";

	if (bad || room < DISK_BYTES) {
		struct nh_check *c = nh_check_add(f, bad ? NH_CHECK_ADVICE : NH_CHECK_OFF,
			"disk for checkpoints", "the working directory %s %s", where,
			bad ? bad : nh_arena_printf(f->a, "has %s free", size_words(f->a, room)));

		c->why = "a checkpoint that is written there is lost or torn";
	} else {
		nh_check_add(f, NH_CHECK_FINE, "disk for checkpoints",
			"%s free in the working directory %s; elsewhere was not looked",
			size_words(f->a, room), where);
	}
	check_memory(f);
}
