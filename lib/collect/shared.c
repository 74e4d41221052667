#include <string.h>
#include "base/str.h"
#include "collect/internal.h"
#include "know/wait.h"
#include "proc/read.h"

/*
 * A futex that processes share is in a mapping that they share: which file that is, and who else of
 * the subjects has it mapped, is as much as can be known of who may wake the thread.
 */
enum { MAPS_MAX = 64 << 20, FUTEX_PRIVATE = 128 };

/* A thread that waits on a futex of the kind that processes share. */
struct shared_wait {
	const struct nh_subject *subject;
	const struct nh_thread *thread;
};

/* A shared mapping of a subject. */
struct mapping {
	const struct nh_subject *subject;
	int64_t inode;
	const char *path;
	bool deleted;
};

struct search {
	struct nh_collector *k;
	NH_VEC(struct shared_wait) waits;
	NH_VEC(struct mapping) mappings;
	struct nh_set read; /* PIDs: a process's maps are read once */
};

static void find_waits(struct search *q)
{
	struct nh_collector *k = q->k;

	nh_for(s, &k->subjects)
		nh_for(t, &k->c->threads) {
			struct nh_wait w = nh_wait_decode(k->c->machine, t);

			if (t->pid == s->pid && t->sample == k->sample && !s->ended &&
				w.kind == NH_WAIT_FUTEX && !(w.futex_op & FUTEX_PRIVATE))
				*nh_push(k->a, &q->waits) = (struct shared_wait){ s, t };
		}
}

static struct nh_shared_map *add_row(struct nh_collector *k, const struct mapping *m)
{
	struct nh_shared_map *row = nh_case_row(k->c, shared_map, shared_maps);

	row->pid = m->subject->pid;
	row->inode = m->inode;
	row->path = m->path;
	row->deleted = m->deleted;
	return row;
}

/* The threads of its process that wait in it. */
static void record_waits(struct search *q, const struct mapping *mapping, const struct nh_map *m)
{
	nh_for(w, &q->waits) {
		uint64_t addr = w->thread->args.v[0];
		struct nh_shared_map *row;

		if (w->subject != mapping->subject || addr < m->start || addr >= m->end)
			continue;
		row = add_row(q->k, mapping);
		row->tid = w->thread->tid;
		row->offset = (int64_t)(addr - m->start + m->offset);
	}
}

static void read_mappings(struct search *q, const struct nh_subject *s)
{
	struct nh_collector *k = q->k;
	struct nh_arena tmp = { 0 };
	struct nh_map m;
	char *maps;

	if (s->ended || !nh_set_add(k->a, &q->read, (uint64_t)s->pid) ||
		!nh_mark_begin(k->mark, s->pid, "maps"))
		return;

	ssize_t n = nh_read_whole(&tmp, s->live, "maps", MAPS_MAX, &maps, NULL);

	for (size_t pos = 0; n > 0 && nh_parse_map(maps, (size_t)n, &pos, &m) > 0;) {
		struct mapping *mapping;

		if (m.perms[3] != 's' || !m.inode)
			continue;
		mapping = nh_push(k->a, &q->mappings);
		*mapping = (struct mapping){ s, (int64_t)m.inode,
			nh_utf8_repair(k->a, m.path, m.path_len), m.deleted };
		record_waits(q, mapping, &m);
	}
	nh_arena_free(&tmp);
}

/* Whether a thread waits in that file, of one of the rows so far, and there is no row yet that says
 * the process maps it. */
static bool is_wanted(const struct nh_collector *k, const struct mapping *m)
{
	bool waited = false;

	nh_for(row, &k->c->shared_maps) {
		if (row->inode != m->inode || !nh_streq(row->path, m->path))
			continue;
		waited |= row->tid != NH_UNKNOWN;
		if (row->tid == NH_UNKNOWN && row->pid == m->subject->pid)
			return false;
	}
	return waited;
}

void nh_read_shared_waits(struct nh_collector *k)
{
	struct search q = { .k = k };

	find_waits(&q);
	nh_for(w, &q.waits)
		read_mappings(&q, w->subject);
	/* Joins have such a futex too, in memory of their own. */
	if (!k->c->shared_maps.n)
		return;
	nh_for(s, &k->subjects)
		read_mappings(&q, s);
	nh_for(m, &q.mappings)
		if (is_wanted(k, m))
			add_row(k, m);
}
