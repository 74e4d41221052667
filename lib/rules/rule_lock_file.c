/*
 * stale-lock-file: a thread waits until a file is gone that nobody will remove: whoever made it did
 * so before the job began and has ended, killed in the middle of a build.
 */
#include <time.h>
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

enum { MARGIN_MS = 2000, PATHS_SHOWN = 4 }; /* clocks of a file system and of ours */

/* Wall-clock ms since the epoch when the first process of the job began; NH_UNKNOWN. */
static int64_t job_began(const struct nh_index *ix)
{
	int64_t first = NH_UNKNOWN;

	nh_for(row, &ix->processes) {
		const struct nh_process *p = *row;

		if (p->why != NH_WHY_ANCESTOR && p->why != NH_WHY_HOLDER &&
			p->start != NH_UNKNOWN && (first == NH_UNKNOWN || p->start < first))
			first = p->start;
	}
	if (first == NH_UNKNOWN || ix->c->boot_ms == NH_UNKNOWN || ix->c->ticks_per_s <= 0)
		return NH_UNKNOWN;
	return ix->c->boot_ms + first * 1000 / ix->c->ticks_per_s;
}

static bool is_stale(const struct nh_lock_file *l, int64_t began)
{
	return l->path && !l->open_in.n && began != NH_UNKNOWN && l->mtime_ms != NH_UNKNOWN &&
	       l->mtime_ms < began - MARGIN_MS;
}

/* The first candidate of a thread, if every one of them is stale: which it is, is not known. */
static const struct nh_lock_file *stale_file(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_lock_file *first = NULL;
	int64_t began = job_began(&g->ix);

	nh_for(l, &g->ix.c->lock_files) {
		if (l->pid != t->pid || l->tid != t->tid)
			continue;
		if (!is_stale(l, began))
			return NULL;
		first = first ? first : l;
	}
	return first;
}

/* All who wait for one file are told together, by the first of them. */
static bool is_first_waiter(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_lock_file *l = stale_file(g, t);

	if (!l)
		return false;
	nh_for(other, &g->ix.threads) {
		const struct nh_lock_file *same = *other == t ? l : stale_file(g, *other);

		if (same && nh_streq(same->path, l->path))
			return *other == t;
	}
	return false;
}

static const char *date(struct nh_arena *a, int64_t ms)
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm;
	char buf[64];

	if (!gmtime_r(&s, &tm) || !strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return "?";
	return nh_arena_strdup(a, buf);
}

static void tell_candidates(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	bool searched = true;
	int64_t n = 0;

	nh_for(l, &m->g->ix.c->lock_files) {
		if (l->pid != t->pid || l->tid != t->tid)
			continue;
		searched = searched && l->searched;
		if (n++ < PATHS_SHOWN)
			nh_tell_evidence(a, f,
				"%s: last written %s, open in no process that was seen", l->path,
				date(a, l->mtime_ms));
	}
	if (!searched) {
		f->confidence = NH_POSSIBLE;
		nh_tell_unknown(a, f,
			"whether a process that could not be read has the file open: a build that runs");
	}
	if (n > 1)
		nh_tell_unknown(a, f,
			"which of the %jd lock files it waits for: it sleeps between two looks, and "
			"all of them are stale",
			(intmax_t)n);
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_graph *g = m->g;
	const struct nh_thread *t = m->path.start;
	const struct nh_lock_file *l = stale_file(g, t);

	f->title = nh_arena_printf(a,
		"pid %jd waits for lock file %s to be removed, which was left before the job began",
		(intmax_t)t->pid, l->path);
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, t), l->path,
		"waits for the end of",
		nh_arena_printf(a, "%s is on its stack, and the file is where that has its locks",
			l->library ? l->library : "its wait"),
		true };
	nh_for(other, &g->ix.threads) {
		const struct nh_lock_file *same = *other == t ? NULL : stale_file(g, *other);

		if (same && nh_streq(same->path, l->path))
			nh_tell_victim(a, f, g, *other);
	}
	tell_candidates(a, m, f);
	nh_tell_evidence(a, f, "the first process of the job began %s", date(a, job_began(&g->ix)));
	nh_tell_wait(a, f, g, t);
	nh_tell_unknown(a, f,
		"whether a process on another host, if the directory is shared, made the file and "
		"still works");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"remove the file: the waiting processes go on at once. Price: if somebody does build "
		"there, on another host, two of them do",
		nh_arena_printf(a, "rm -i -- %s", nh_shell_quote(a, l->path)));
	nh_tell_remedy(a, f,
		"prevent it: build extensions once before the job, or give each job a "
		"TORCH_EXTENSIONS_DIR of its own. Price: a build each",
		NULL);
}

static const char *const refutes[] = {
	"the file goes away by itself",
	"a process that makes the file has begun before the job, and still runs",
	NULL,
};

const struct nh_rule nh_rule_lock_file = {
	.id = "stale-lock-file",
	.pattern = { .begin = is_first_waiter,
		.no_begin =
			"no thread waits for a lock file that is older than the job and that nobody has "
			"open" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_LIKELY,
	.tell = tell,
	.refutes = refutes,
	.covers = "pytorch 189245; OpenEquivariance 156",
};
