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

static bool is_same_file(const struct nh_shared_map *row, const struct nh_map *m)
{
	return row->inode == (int64_t)m->inode && row->path && strlen(row->path) == m->path_len &&
	       !memcmp(row->path, m->path, m->path_len);
}

/* Whether a thread waits in that file, of one of the rows so far, and there is no row yet that says
 * the process maps it. */
static bool is_wanted(const struct nh_collector *k, const struct nh_map *m, int64_t pid)
{
	bool waited = false;

	nh_for(row, &k->c->shared_maps) {
		if (!is_same_file(row, m))
			continue;
		waited |= row->tid != NH_UNKNOWN;
		if (row->tid == NH_UNKNOWN && row->pid == pid)
			return false;
	}
	return waited;
}

/* The shared mapping with the futex of t in it or, where t is NULL, those of files some thread
 * waits in. */
static void record_map(
	struct nh_collector *k, const struct nh_subject *s, const struct nh_thread *t)
{
	uint64_t addr = t ? t->args.v[0] : 0;
	struct nh_arena tmp = { 0 };
	struct nh_map m;
	char *maps;

	if (!nh_mark_begin(k->mark, s->pid, "maps"))
		return;

	ssize_t n = nh_read_whole(&tmp, s->live, "maps", MAPS_MAX, &maps, NULL);

	for (size_t pos = 0; n > 0 && nh_parse_map(maps, (size_t)n, &pos, &m) > 0;) {
		struct nh_shared_map *row;

		if (m.perms[3] != 's' || !m.inode ||
			!(t ? m.start <= addr && addr < m.end : is_wanted(k, &m, s->pid)))
			continue;
		row = nh_case_row(k->c, shared_map, shared_maps);
		row->pid = s->pid;
		row->inode = (int64_t)m.inode;
		row->path = nh_utf8_repair(k->a, m.path, m.path_len);
		row->deleted = m.deleted;
		if (t) {
			pos = (size_t)n; /* that one alone */
			row->tid = t->tid;
			row->offset = (int64_t)(addr - m.start + m.offset);
		}
	}
	nh_arena_free(&tmp);
}

void nh_read_shared_waits(struct nh_collector *k)
{
	nh_for(s, &k->subjects)
		nh_for(t, &k->c->threads) {
			struct nh_wait w = nh_wait_decode(k->c->machine, t);

			if (t->pid == s->pid && t->sample == k->sample && !s->ended &&
				w.kind == NH_WAIT_FUTEX && !(w.futex_op & FUTEX_PRIVATE))
				record_map(k, s, t);
		}
	if (!k->c->shared_maps.n)
		return;
	nh_for(s, &k->subjects)
		if (!s->ended)
			record_map(k, s, NULL);
}
