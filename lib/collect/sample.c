#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/python.h"
#include "proc/read.h"

/* The inode number of the initial pid namespace, fixed by the kernel (PROC_PID_INIT_INO). */
#define INIT_PID_NS 0xeffffffcLL

enum { ROUNDS = 3 }; /* how often holders may lead to further holders */

/* What every sample reads anew. */
static void read_subject(struct nh_collector *k, struct nh_subject *s)
{
	s->read_in = k->sample;
	nh_read_process(k, s);
	if (s->ended)
		return;
	nh_read_threads(k, s);
	if (s->why == NH_WHY_TARGET || s->why == NH_WHY_FOUND)
		nh_read_fd_table(k, s);
}

static void read_new_subjects(struct nh_collector *k)
{
	/* The vector may grow and move while it is walked. */
	for (size_t i = 0; i < k->subjects.n; i++)
		if (!k->subjects.v[i].ended && k->subjects.v[i].read_in != k->sample)
			read_subject(k, &k->subjects.v[i]);
}

/* A holder's parent and grandparent: one of them may be the rank that opened what it holds. */
static void follow_ancestors(struct nh_collector *k, int64_t pid)
{
	const struct nh_entry *e = nh_table_find(k, pid);

	for (int depth = 0; depth < 2 && e && e->ppid > 1; depth++) {
		nh_subject_add(k, e->ppid, NH_WHY_ANCESTOR);
		e = nh_table_find(k, e->ppid);
	}
}

/* Another reader of a pipe does nothing for one that reads it. */
static bool is_of_use(const struct nh_collector *k, const struct nh_fd *f)
{
	return nh_is_searched(k, f) &&
	       (f->kind != NH_FD_PIPE || !nh_streq(f->mode, "r") ||
		       (f->dev == NH_UNKNOWN && nh_set_has(&k->written, (uint64_t)f->inode)));
}

/* Whoever holds a searched inode becomes a subject; true if somebody new did. */
static bool follow_holders(struct nh_collector *k)
{
	size_t before = k->subjects.n;

	for (size_t i = 0; i < k->c->fds.n; i++) {
		const struct nh_fd *f = &k->c->fds.v[i];

		if (f->sample == k->sample && is_of_use(k, f) &&
			nh_subject_add(k, f->pid, NH_WHY_HOLDER))
			follow_ancestors(k, f->pid);
	}
	return k->subjects.n > before;
}

/* Parentage up to init: who started whom. */
static void read_ancestors(struct nh_collector *k)
{
	for (size_t i = 0; i < k->subjects.n; i++) {
		const struct nh_entry *e = nh_table_find(k, k->subjects.v[i].pid);

		for (int depth = 0; e && e->ppid > 0 && depth < 64; depth++) {
			e = nh_table_find(k, e->ppid);
			if (!e || nh_set_has(&k->subject_pids, (uint64_t)e->pid))
				break;
			nh_read_identity(k, e, NH_WHY_ANCESTOR);
		}
	}
}

static void say_namespace(struct nh_collector *k)
{
	int64_t ns = nh_read_ns(k->root, "self/ns/pid");

	if (ns > 0 && ns != INIT_PID_NS)
		nh_gap_said(k, "processes outside this pid namespace",
			"whether a searched socket is held there",
			"we run inside a container: its /proc does not show them",
			nh_arena_printf(
				k->a, "on the host: sudo %s (with the host's PIDs)", k->o->rerun),
			false);
}

/* What was met in the sample before is met anew. */
static void forget(struct nh_collector *k)
{
	memset(&k->fd_rows, 0, sizeof(k->fd_rows));
	memset(&k->waited, 0, sizeof(k->waited));
	memset(&k->searched, 0, sizeof(k->searched));
	memset(&k->unix_inodes, 0, sizeof(k->unix_inodes));
	memset(&k->written, 0, sizeof(k->written));
	memset(&k->waited_rows, 0, sizeof(k->waited_rows));
	k->search_list.n = k->fifos.n = k->met.n = 0;
}

void nh_take_sample(struct nh_collector *k)
{
	struct nh_sample *s = nh_case_row(k->c, sample, samples);

	s->sample = k->sample;
	s->at_ms = nh_now_ms() - k->began_ms;
	forget(k);
	nh_table_read(k);
	if (k->sample == 1)
		nh_select(k);
	else
		nh_select_descendants(k);
	for (int round = 0; round < ROUNDS; round++) {
		size_t searched = k->search_list.n + k->fifos.n;

		read_new_subjects(k);
		nh_reread_running(k);
		nh_read_objects(k);
		nh_read_sockets(k);

		bool more = nh_read_file_locks(k);

		if (k->search_list.n + k->fifos.n > searched) {
			nh_walk_holders(k);
			nh_search_missing(k);
			more |= follow_holders(k);
		}
		if (!more)
			break;
	}
	read_new_subjects(k);
	read_ancestors(k);
	nh_read_cgroups(k);
	if (k->search_list.n)
		say_namespace(k);
	if (k->last) {
		nh_read_stacks(k);
		nh_read_lock_files(k);
		nh_read_shared_waits(k);
	} else {
		nh_read_interpreters(k);
	}
	if (k->sample == 1)
		nh_for(sub, &k->subjects)
			if (!sub->ended)
				nh_read_modules(k, sub);
	if (k->last)
		nh_read_kernel_log(k);
	if (k->last && k->o->ras && !k->recorded)
		nh_find_ras(k);
}
