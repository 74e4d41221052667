#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "collect/internal.h"
#include "proc/read.h"

/*
 * Who holds the searched inodes, over every process of the host: suspects first (relatives of the
 * subjects), so that they are known even if time runs out, then everybody else.  This is the
 * dearest pass by far, one system call a descriptor, so it is made once: every socket and pipe it
 * meets is noted, and of every file its name, as it may be a FIFO; what comes up later is looked up
 * there.  The second sample goes again through all suspects and through processes the first did not
 * know; it searches the whole host only where an inode is left without a holder.
 */
enum { PF_KTHREAD = 0x00200000 };

struct walk {
	struct nh_collector *k;
	struct nh_sample *sample;
	int64_t pid, own_tid; /* the table being searched */
	int64_t refused_pid;  /* an example of those that could not be read */
	int64_t refused;
};

static int look(void *ctx, int dirfd, int64_t fd)
{
	struct walk *w = ctx;
	char name[24], link[4097];
	int64_t inode;

	w->sample->fds++;
	snprintf(name, sizeof(name), "%jd", (intmax_t)fd);

	ssize_t n = nh_read_link(dirfd, name, link, sizeof(link));

	if (n <= 0)
		return 0;

	int kind = nh_parse_fd_link(link, (size_t)n, &inode);

	if (kind == NH_FD_FILE)
		inode = nh_name_key(link, (size_t)n);
	else if (kind != NH_FD_SOCKET && kind != NH_FD_PIPE)
		return 0;
	*nh_push(w->k->a, &w->k->met) =
		(struct nh_met){ inode, w->pid, w->own_tid, (int32_t)fd, kind };
	return 0;
}

static int look_at_thread(void *ctx, int taskdir, int64_t tid)
{
	struct walk *w = ctx;
	char path[32];

	if (!nh_has_own_fds(w->k, w->pid, tid))
		return 0;
	snprintf(path, sizeof(path), "%jd/fd", (intmax_t)tid);
	w->own_tid = tid;
	nh_each_number(taskdir, path, look, w);
	w->own_tid = NH_UNKNOWN;
	return 0;
}

/* The table of a process whose leader has ended lives on in its threads. */
static int look_through(void *ctx, int taskdir, int64_t tid)
{
	char path[32];

	snprintf(path, sizeof(path), "%jd/fd", (intmax_t)tid);
	return nh_each_number(taskdir, path, look, ctx) ? 0 : 1;
}

static void look_at(struct walk *w, const struct nh_entry *e)
{
	struct nh_collector *k = w->k;
	char path[40];
	int r;

	if (e->flags & PF_KTHREAD || e->pid == k->self)
		return;
	if (e->state == 'Z' && e->nthreads <= 1)
		return;
	if (!nh_mark_begin(k->mark, e->pid, "descriptors"))
		return;
	w->pid = e->pid;
	w->own_tid = NH_UNKNOWN;
	if (e->state == 'Z') {
		snprintf(path, sizeof(path), "%jd/task", (intmax_t)e->pid);
		r = nh_each_number(k->root, path, look_through, w);
		r = r > 0 ? 0 : r;
	} else {
		snprintf(path, sizeof(path), "%jd/fd", (intmax_t)e->pid);
		r = nh_each_number(k->root, path, look, w);
	}
	if (r == -EACCES || r == -EPERM) {
		w->refused++;
		w->refused_pid = e->pid;
		w->sample->unreadable++;
		return;
	}
	if (e->nthreads > 1) {
		snprintf(path, sizeof(path), "%jd/task", (intmax_t)e->pid);
		nh_each_number(k->root, path, look_at_thread, w);
	}
	w->sample->walked++;
}

/* Subjects (holders among them), their parents and their children. */
static bool is_suspect(const struct nh_collector *k, const struct nh_entry *e)
{
	if (nh_set_has(&k->subject_pids, (uint64_t)e->pid) ||
		nh_set_has(&k->subject_pids, (uint64_t)e->ppid))
		return true;
	nh_for(s, &k->subjects) {
		const struct nh_entry *own = nh_table_find(k, s->pid);

		if (own && own->ppid == e->pid)
			return true;
	}
	return false;
}

static void say_refused(struct walk *w)
{
	struct nh_collector *k = w->k;
	const char *why, *grant;

	if (!w->refused)
		return;
	grant = nh_grant(k, NH_UNKNOWN, &why);
	nh_gap_said(k, nh_some_pids(k, w->refused, w->refused_pid),
		"whether a searched socket is held there", why, grant, false);
}

/* A process that the first sample's search did not see. */
static bool is_new(const struct nh_collector *k, const struct nh_entry *e)
{
	return !nh_set_has(
		&k->walked_before, nh_hash(&e->start, sizeof(e->start), (uint64_t)e->pid));
}

static void record_met(struct nh_collector *k)
{
	nh_for(m, &k->met) {
		if (m->kind == NH_FD_FILE)
			nh_fifo_record_met(k, m);
		else if (nh_set_has(&k->searched, (uint64_t)m->inode))
			nh_fd_record_met(k, m);
	}
	nh_read_objects(k);
}

bool nh_has_holder(const struct nh_collector *k, int64_t inode)
{
	nh_for(f, &k->c->fds)
		if (f->inode == inode && f->sample == k->sample && f->kind != NH_FD_CLOSED)
			return true;
	return false;
}

static bool all_have_holders(const struct nh_collector *k)
{
	nh_for(inode, &k->search_list)
		if (!nh_has_holder(k, *inode))
			return false;
	/* Whether a FIFO's other end is open is the very question. */
	return !k->fifos.n;
}

/* Everybody who is (or is not) a suspect; in a narrow search newcomers count as such.  False if
 * time ran out. */
static bool pass(struct walk *w, bool suspects)
{
	struct nh_collector *k = w->k;

	nh_for(e, &k->host) {
		if ((is_suspect(k, e) || (k->sample > 1 && is_new(k, e))) != suspects)
			continue;
		if (nh_now_ms() >= k->walk_until_ms)
			return false;
		look_at(w, e);
	}
	return true;
}

static void search(struct walk *w)
{
	struct nh_collector *k = w->k;
	bool done = pass(w, true);

	record_met(k);
	w->sample->suspects_only = k->sample > 1 && all_have_holders(k);
	if (done && !w->sample->suspects_only)
		done = pass(w, false);
	w->sample->complete = done;
	if (!done)
		nh_gap_said(k, "search for holders", "the rest of this host's processes",
			nh_arena_printf(k->a, "not finished in time, after %jd processes",
				(intmax_t)w->sample->walked),
			nh_arena_printf(k->a, "%s --timeout %.3g", k->o->rerun,
				(double)k->o->timeout_ms * 3 / 1000),
			false);
	if (k->sample == 1)
		nh_for(e, &k->host)
			nh_set_add(k->a, &k->walked_before,
				nh_hash(&e->start, sizeof(e->start), (uint64_t)e->pid));
}

void nh_walk_holders(struct nh_collector *k)
{
	struct walk w = { .k = k, .sample = &k->c->samples.v[k->c->samples.n - 1] };

	if (w.sample->walked == NH_UNKNOWN) {
		w.sample->fds = w.sample->walked = w.sample->unreadable = 0;
		search(&w);
	}
	w.sample->inodes.n = 0;
	nh_for(inode, &k->search_list)
		*nh_push(k->a, &w.sample->inodes) = *inode;
	record_met(k);
	say_refused(&w);
}
