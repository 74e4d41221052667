#include "graph/locks.h"

#include "graph/words.h"
#include "base/str.h"
#include "know/file_lock.h"

enum { HOLDERS_SHOWN = 3 };

const struct nh_file_lock *nh_wanted_lock(const struct nh_index *ix, const struct nh_thread *t)
{
	nh_for(l, &ix->c->file_locks)
		if (l->waiting && l->sample == ix->sample && l->pid == t->pid && l->tid == t->tid)
			return l;
	return NULL;
}

const char *nh_name_lock(struct nh_arena *a, const struct nh_file_lock *l)
{
	const char *path = l->path ? l->path : "a file";

	if (l->start <= 0 && l->end == NH_UNKNOWN)
		return nh_arena_printf(a, "%s on %s", nh_file_lock_word(l->kind), path);
	if (l->end == NH_UNKNOWN)
		return nh_arena_printf(a, "%s on %s from byte %jd on", nh_file_lock_word(l->kind),
			path, (intmax_t)l->start);
	return nh_arena_printf(a, "%s on bytes %jd to %jd of %s", nh_file_lock_word(l->kind),
		(intmax_t)l->start, (intmax_t)l->end, path);
}

const char *nh_lock_holder_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_file_lock *held)
{
	const struct nh_process *p = nh_index_process(ix, held->pid);
	const char *who =
		p ? nh_name_process(a, p) : nh_arena_printf(a, "pid %jd", (intmax_t)held->pid);

	if (held->owner == NH_UNKNOWN)
		return held->kind == NH_LOCK_FLOCK
			       ? nh_arena_printf(a,
					 "%s, which has it from a process that this pid namespace lacks",
					 who)
			       : who;
	if (held->owner == held->pid)
		return who;
	return nh_arena_printf(a, "%s, which has it from pid %jd", who, (intmax_t)held->owner);
}

const char *nh_lock_wait_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t)
{
	const struct nh_file_lock *wanted = nh_wanted_lock(ix, t);
	const char *who = NULL;
	int64_t n = 0;

	if (!wanted)
		return "a lock on a file";
	nh_for(held, &ix->c->file_locks) {
		if (held->sample != ix->sample || !nh_file_lock_blocks(held, wanted))
			continue;
		if (held->pid == NH_UNKNOWN)
			who = who ? who
				  : nh_arena_printf(a,
					    "nobody that was found; pid %jd asked for it",
					    (intmax_t)held->owner);
		else if (n++ < HOLDERS_SHOWN)
			who = nh_arena_printf(a, "%s%s%s", n > 1 ? who : "", n > 1 ? " and " : "",
				nh_lock_holder_words(a, ix, held));
	}
	return nh_arena_printf(a, "%s, held by %s%s", nh_name_lock(a, wanted),
		who ? who : "nobody any more", n > HOLDERS_SHOWN ? " and others" : "");
}

static const struct nh_shared_map *shared_wait(const struct nh_index *ix, const struct nh_thread *t)
{
	nh_for(m, &ix->c->shared_maps)
		if (m->pid == t->pid && m->tid == t->tid)
			return m;
	return NULL;
}

static bool maps_too(const struct nh_shared_map *m, const struct nh_shared_map *at)
{
	return m->pid != at->pid && m->inode == at->inode && nh_streq(m->path, at->path);
}

const struct nh_thread *nh_shared_owner(
	const struct nh_index *ix, const struct nh_thread *t, int64_t owner)
{
	const struct nh_shared_map *at = shared_wait(ix, t);
	const struct nh_process *p = nh_index_process(ix, t->pid), *q;
	const struct nh_thread *found = NULL;

	if (!at || !p)
		return NULL;
	nh_for(m, &ix->c->shared_maps) {
		q = maps_too(m, at) ? nh_index_process(ix, m->pid) : NULL;
		if (!found && q && q->ns_pid == p->ns_pid)
			found = nh_index_thread_ns(ix, m->pid, owner);
	}
	return found;
}

const char *nh_shared_words(
	struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t)
{
	const struct nh_shared_map *at = shared_wait(ix, t);
	const char *who = "";
	int64_t n = 0;

	if (!at)
		return "";
	nh_for(m, &ix->c->shared_maps) {
		const struct nh_process *p = nh_index_process(ix, m->pid);

		if (m->tid != NH_UNKNOWN || !maps_too(m, at) || n++ >= HOLDERS_SHOWN)
			continue;
		who = nh_arena_printf(a, "%s%s%s", who, n > 1 ? ", " : ", which also map: ",
			p ? nh_name_process(a, p)
			  : nh_arena_printf(a, "pid %jd", (intmax_t)m->pid));
	}
	return nh_arena_printf(a, ", in shared memory %s%s%s%s", at->path ? at->path : "?",
		at->deleted ? " (deleted)" : "", who, n > HOLDERS_SHOWN ? " and others" : "");
}

const char *nh_ipc_wait_words(struct nh_arena *a, const struct nh_index *ix,
	const struct nh_thread *t, const struct nh_wait *w)
{
	static const struct {
		const char *call, *what, *who;
	} calls[] = {
		{ "semop", "System V semaphore set", "who posts it is not recorded" },
		{ "semtimedop", "System V semaphore set", "who posts it is not recorded" },
		{ "msgrcv", "System V message queue", "who sends to it is not recorded" },
		{ "mq_timedreceive", "POSIX message queue", "who sends to it is not recorded" },
	};
	const struct nh_fd *fd = w->fd != NH_UNKNOWN ? nh_index_fd(ix, t, w->fd) : NULL;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!nh_streq(w->call, calls[i].call) || !t->args.n)
			continue;
		if (fd && fd->path)
			return nh_arena_printf(
				a, "%s %s: %s", calls[i].what, fd->path, calls[i].who);
		return nh_arena_printf(
			a, "%s %jd: %s", calls[i].what, (intmax_t)t->args.v[0], calls[i].who);
	}
	return NULL;
}
