/*
 * filesystem-stall: threads wait for a file system that others serve, and it does not answer; or,
 * as a suspicion, for a disk.  Told once a mount.  Of several on one inode all but one wait for its
 * lock; that one waits for the server.
 */
#include "rules/kernel_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"
#include "know/filesystem.h"

enum { TOLD = 8 };

/* What a thread waits for. */
struct stall {
	const struct nh_fs *fs; /* NULL: a disk of this host */
	struct nh_place at;
	enum nh_stay stay;
};

static bool in_file_call(const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);

	return w.kind == NH_WAIT_FILE || w.kind == NH_WAIT_READ || w.kind == NH_WAIT_WRITE;
}

/* A served file system also holds up threads that could be woken: then it must have been for long.
 */
static bool find_stall(const struct nh_graph *g, const struct nh_thread *t, struct stall *ret)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	bool sleeps = nh_streq(t->state, "S"), deep = nh_streq(t->state, "D");

	if ((!sleeps && !deep) || t->running || !p || p->why == NH_WHY_ANCESTOR ||
		nh_is_frozen(g, p))
		return false;
	ret->at = nh_place_of(g, t);
	ret->fs = in_file_call(g, t) ? nh_fs_of_type(ret->at.fstype) : NULL;
	if (!ret->fs && (ret->fs = nh_fs_of_thread(t)))
		/* A link, or a page that is mapped: not where the call's own file lies. */
		ret->at = (struct nh_place){ 0 };
	if (!ret->fs && (!deep || p->killed || !nh_fs_is_disk(ret->at.fstype)))
		return false;
	ret->stay = nh_stay_of(g, t);
	return ret->stay == NH_STAYS || (deep && ret->fs && ret->stay != NH_MOVES);
}

static bool same_stall(const struct stall *a, const struct stall *b)
{
	return a->fs == b->fs &&
	       (!a->at.mount || !b->at.mount || nh_streq(a->at.mount, b->at.mount));
}

static bool leads_a_stall(const struct nh_graph *g, const struct nh_thread *t)
{
	struct stall mine, other;

	if (!find_stall(g, t, &mine))
		return false;
	nh_for(old, &g->ix.threads) {
		if (*old == t)
			return true;
		if (find_stall(g, *old, &other) && same_stall(&mine, &other))
			return false;
	}
	return true;
}

struct stalled {
	struct stall stall; /* of all of them: the best that is known of each */
	NH_VEC(const struct nh_thread *) threads;
	size_t processes;
	const struct nh_thread
		*first; /* the only one that wants no lock, where others do; or NULL */
};

static void gather(struct nh_arena *a, const struct nh_match *m, struct stalled *ret)
{
	size_t locked = 0;
	int64_t pid = NH_UNKNOWN;

	*ret = (struct stalled){ 0 };
	find_stall(m->g, m->path.start, &ret->stall);
	nh_for(t, &m->g->ix.threads) {
		struct stall s;

		if (!find_stall(m->g, *t, &s) || !same_stall(&ret->stall, &s))
			continue;
		*nh_push(a, &ret->threads) = *t;
		ret->processes += (*t)->pid != pid;
		pid = (*t)->pid;
		if (!ret->stall.at.mount)
			ret->stall.at = s.at;
		if (s.stay > ret->stall.stay)
			ret->stall.stay = s.stay;
		if (nh_fs_wants_lock(*t))
			locked++;
		else
			ret->first = *t;
	}
	if (!locked || locked + 1 != ret->threads.n)
		ret->first = NULL;
}

static const char *place_words(struct nh_arena *a, const struct stall *s)
{
	const char *name = s->fs ? s->fs->name : "the disk of the local file system";

	if (!s->at.mount)
		return nh_arena_printf(a, "%s (the mount is not known)", name);
	return nh_arena_printf(a, "%s at %s (%s%s%s)", name, s->at.mount, s->at.fstype,
		s->at.source ? ", " : "", s->at.source ? s->at.source : "");
}

static void tell_threads(struct nh_arena *a, const struct nh_match *m, const struct stalled *all,
	struct nh_finding *f)
{
	size_t n = 0;
	int64_t pid = NH_UNKNOWN;

	nh_for(t, &all->threads) {
		if (n++ < TOLD)
			nh_tell_evidence(a, f, "%s", nh_kernel_words(a, m->g, *t));
		if (*t != m->path.start && *t != all->first)
			nh_tell_victim(a, f, m->g, *t);
	}
	if (n > TOLD)
		nh_tell_evidence(a, f, "%zu more threads wait like these", n - TOLD);
	nh_for(t, &all->threads) {
		if ((*t)->pid != pid)
			nh_tell_dependants(a, f, m->g, nh_index_process(&m->g->ix, (*t)->pid));
		pid = (*t)->pid;
	}
}

/* Of the threads that wait on one mount, one that is in the server's hands and others behind it. */
static void tell_holder(struct nh_arena *a, const struct nh_match *m, const struct stalled *all,
	struct nh_finding *f)
{
	const struct nh_process *p = nh_index_process(&m->g->ix, all->first->pid);

	nh_tell_culprit(a, f, m->g, p, NULL);
	f->culprit->tid = all->first->tid;
	*nh_push(a, &f->chain) = (struct nh_link){ nh_arena_printf(a, "%zu other threads",
							   all->threads.n - 1),
		nh_name_thread(a, all->first), "want a lock of the file system held by",
		"all of them sleep in a lock's function, and it is the only one on this mount that "
		"does not",
		true };
	nh_tell_unknown(
		a, f, "that the lock is this thread's: the kernel does not tell who holds it");
	if (f->confidence > NH_LIKELY)
		f->confidence = NH_LIKELY;
}

static void tell_remedies(struct nh_arena *a, const struct stalled *all, struct nh_finding *f)
{
	const struct stall *s = &all->stall;
	const struct nh_thread *t = all->threads.v[0];
	const char *mount = s->at.mount ? nh_shell_quote(a, s->at.mount) : NULL;

	nh_tell_remedy(a, f, "see what the kernel says of it. Price: none",
		"dmesg -T | grep -i -e 'not responding' -e 'blocked for more than' -e 'I/O error'");
	if (s->fs && nh_streq(s->fs->name, "FUSE"))
		nh_tell_remedy(a, f,
			"release it now: end the connection to its server. Price: every call on that "
			"file system fails, and data that was not written is lost",
			mount ? nh_arena_printf(a,
					"echo 1 > /sys/fs/fuse/connections/$(awk -v m=%s '$5 == m { split($3, d, "
					"\":\"); print d[2] }' /proc/%jd/mountinfo)/abort",
					mount, (intmax_t)t->pid)
			      : NULL);
	else if (s->fs)
		nh_tell_remedy(a, f,
			"bring its server back; if that cannot be, give the mount up. Price: calls on it "
			"fail, and data that was not written is lost",
			mount ? nh_arena_printf(a, "umount -f %s", mount) : NULL);
	else
		nh_tell_remedy(a, f, "look at the disk: it may be slow and not stuck. Price: none",
			"iostat -x 1 3");
}

static void tell(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	struct stalled all;
	int most;

	gather(a, m, &all);
	most = all.stall.fs ? nh_stay_confidence(all.stall.stay) : NH_POSSIBLE;
	if (f->confidence > most)
		f->confidence = most;
	f->title = nh_arena_printf(a, "%zu thread%s of %s wait%s for %s", all.threads.n,
		all.threads.n == 1 ? "" : "s",
		all.processes == 1
			? nh_name_process(a, nh_index_process(&m->g->ix, m->path.start->pid))
			: nh_arena_printf(a, "%zu processes", all.processes),
		all.threads.n == 1 ? "s" : "", place_words(a, &all.stall));
	if (all.first)
		tell_holder(a, m, &all, f);
	tell_threads(a, m, &all, f);
	if (all.stall.stay == NH_STAYS)
		nh_tell_evidence(a, f,
			"the thread%s in the same call in both samples, and not woken in between",
			all.threads.n == 1 ? " is" : "s are");
	if (all.stall.fs)
		nh_tell_unknown(a, f, "why %s %s not answer", all.stall.fs->server,
			nh_ends_with(all.stall.fs->server, "s") ? "do" : "does");
	else
		nh_tell_unknown(a, f, "whether the disk is stuck or slow");
	if (!all.stall.at.mount)
		nh_tell_unknown(
			a, f, "which mount: only the functions in the kernel tell what it is");
	nh_tell_save(a, f, m->path.start->pid);
	tell_remedies(a, &all, f);
}

static const char *const refutes[] = {
	"one of the threads goes on by itself: the file system is slow, not stuck",
	"a stat of the mount from elsewhere on this host returns at once (it may hang as well)",
	NULL,
};

const struct nh_rule nh_rule_filesystem = {
	.id = "filesystem-stall",
	.pattern = { .begin = leads_a_stall,
		.no_begin = "no thread stays in a call on a file system that others serve" },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell,
	.refutes = refutes,
	.covers = "NVIDIA-NeMo/RL#3504",
};
