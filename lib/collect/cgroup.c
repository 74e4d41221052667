/*
 * Control groups: frozen or not, out of memory or not.  Where each hierarchy is mounted is read
 * from our own mount table; what is not mounted here is left out.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

enum { MOUNTS_MAX = 1 << 20 };

/* Where a hierarchy is mounted, and which of its groups is there. */
struct place {
	char point[PATH_MAX], root[PATH_MAX];
};

static bool has_option(const struct nh_text *options, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= options->n; i++)
		if (!memcmp(options->s + i, word, n) && (!i || options->s[i - 1] == ',') &&
			(i + n == options->n || options->s[i + n] == ','))
			return true;
	return false;
}

static bool is_of(const struct nh_mountinfo *m, int hierarchy)
{
	bool v1 = m->fstype.n == 6 && !memcmp(m->fstype.s, "cgroup", 6);
	bool v2 = m->fstype.n == 7 && !memcmp(m->fstype.s, "cgroup2", 7);

	switch (hierarchy) {
	case NH_CGROUP_V2:
		return v2;
	case NH_CGROUP_FREEZER:
		return v1 && has_option(&m->options, "freezer");
	default:
		return v1 && has_option(&m->options, "memory");
	}
}

static void copy(char to[PATH_MAX], const struct nh_text *from)
{
	size_t n = from->n < PATH_MAX ? from->n : 0;

	memcpy(to, from->s, n);
	to[nh_unescape_octal(to, n)] = 0;
}

static void find_places(struct nh_collector *k, struct place places[])
{
	struct nh_arena tmp = { 0 };
	struct nh_mountinfo m;
	char *text;
	ssize_t n = nh_read_whole(&tmp, k->root, "self/mountinfo", MOUNTS_MAX, &text, NULL);

	for (size_t pos = 0; n > 0 && nh_parse_mount(text, (size_t)n, &pos, &m) > 0;)
		for (int h = NH_CGROUP_V2; h <= NH_CGROUP_MEMORY; h++)
			if (is_of(&m, h)) {
				copy(places[h].point, &m.point);
				copy(places[h].root, &m.root);
			}
	nh_arena_free(&tmp);
}

/* The group's directory: in a container its mount may begin below the root of the hierarchy. */
static int open_group(const struct place *at, const char *group)
{
	size_t n = strlen(at->root);
	char path[PATH_MAX];

	/* Outside of our own namespace's root: what is mounted here does not have it. */
	if (strstr(group, "/.."))
		return -1;
	if (n > 1 && nh_starts_with(group, at->root) && (group[n] == '/' || !group[n]))
		group += n;
	if (snprintf(path, sizeof(path), "%s/%s", at->point, group) >= (int)sizeof(path))
		return -1;
	return nh_dir_open(AT_FDCWD, path);
}

static int64_t value(int dir, const char *file, const char *key)
{
	char buf[1024];
	ssize_t n = nh_read_small(dir, file, buf, sizeof(buf));

	return n > 0 ? nh_parse_key_value(buf, (size_t)n, key) : NH_UNKNOWN;
}

/* Without a limit v1 has the largest number of whole pages. */
static int64_t limit(int64_t bytes)
{
	return bytes > INT64_MAX / 2 ? NH_UNKNOWN : bytes;
}

static void read_group(int dir, struct nh_cgroup *row)
{
	char state[32];

	switch (row->hierarchy) {
	case NH_CGROUP_V2:
		row->frozen = value(dir, "cgroup.events", "frozen") == 1;
		row->freezes = value(dir, "cgroup.freeze", NULL) == 1;
		row->oom_kills = value(dir, "memory.events", "oom_kill");
		row->limit = value(dir, "memory.max", NULL);
		row->usage = value(dir, "memory.current", NULL);
		break;
	case NH_CGROUP_FREEZER:
		row->frozen = nh_read_small(dir, "freezer.state", state, sizeof(state)) > 0 &&
			      nh_starts_with(state, "FROZEN");
		row->freezes = value(dir, "freezer.self_freezing", NULL) == 1;
		break;
	default:
		row->oom_kills = value(dir, "memory.oom_control", "oom_kill");
		row->under_oom = value(dir, "memory.oom_control", "under_oom") == 1;
		row->limit = limit(value(dir, "memory.limit_in_bytes", NULL));
		row->usage = value(dir, "memory.usage_in_bytes", NULL);
	}
}

static void read_once(struct nh_collector *k, struct nh_set *seen, const struct place places[],
	int hierarchy, const char *group)
{
	struct nh_cgroup *row;

	if (!group || !*places[hierarchy].point ||
		!nh_set_add(k->a, seen, nh_hash(group, strlen(group), (uint64_t)hierarchy)))
		return;

	nh_auto_close int dir = open_group(&places[hierarchy], group);

	if (dir < 0)
		return;
	row = nh_case_row(k->c, cgroup, cgroups);
	row->sample = k->sample;
	row->hierarchy = hierarchy;
	row->path = group;
	read_group(dir, row);
}

void nh_read_cgroups(struct nh_collector *k)
{
	struct place *places = nh_new(k->a, struct place, NH_CGROUP_MEMORY + 1);
	struct nh_set seen = { 0 };

	if (k->recorded || !nh_mark_begin(k->mark, k->self, "control groups"))
		return;
	find_places(k, places);
	nh_for(p, &k->c->processes) {
		if (p->sample != k->sample || p->why == NH_WHY_ANCESTOR)
			continue;
		read_once(k, &seen, places, NH_CGROUP_V2, p->cgroup);
		read_once(k, &seen, places, NH_CGROUP_FREEZER, p->cgroup_freezer);
		read_once(k, &seen, places, NH_CGROUP_MEMORY, p->cgroup_memory);
	}
}
