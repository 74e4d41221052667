#include "evidence/flight_dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ranks one group may have; a longer list is cut. */
#define MEMBERS_MAX 65536

static bool same_text(const char *s, const struct nh_value *v)
{
	return strlen(s) == v->n && !memcmp(s, v->s, v->n);
}

static struct nh_fr_group *find(struct nh_flight *d, const struct nh_value *name, int64_t pg_id)
{
	nh_for(g, &d->groups)
		if (name ? same_text(g->row.group, name) : g->row.pg_id == pg_id)
			return g;
	return NULL;
}

/* The group of that name; before 2.2 there are no names, and its number is taken for one. */
static struct nh_fr_group *group(struct nh_flight *d, const struct nh_value *name, int64_t pg_id)
{
	struct nh_fr_group *g = find(d, name, pg_id);

	if (g || d->groups.n == NH_FR_GROUPS_MAX)
		return g;
	g = nh_push(d->a, &d->groups);
	nh_row_init(&nh_rank_group_type, &g->row);
	g->row.rank = d->rank;
	g->row.source = d->source;
	g->row.version = d->version;
	g->row.pg_id = pg_id;
	g->row.group =
		name ? nh_fr_text(d->a, name)
		     : nh_arena_printf(d->a, "%jd", (intmax_t)(pg_id == NH_UNKNOWN ? 0 : pg_id));
	g->row.entries = 0;
	return g;
}

static void widen(int64_t *least, int64_t *most, int64_t v)
{
	if (v == NH_UNKNOWN)
		return;
	if (least && (*least == NH_UNKNOWN || v < *least))
		*least = v;
	if (*most == NH_UNKNOWN || v > *most)
		*most = v;
}

static void count(struct nh_flight *d, struct nh_fr_group *g, const struct nh_fr_entry *e)
{
	size_t n;
	const struct nh_value *pair = nh_tree_items(&d->tree, &e->group, &n);
	struct nh_rank_group *r = &g->row;

	r->entries++;
	if (!e->p2p)
		widen(&r->first, &r->last, e->seq);
	widen(NULL, &r->newest_ns, e->created);
	widen(NULL, &r->newest_ns, e->started);
	widen(NULL, &r->newest_ns, e->completed);
	if (r->timeout_ms == NH_UNKNOWN)
		r->timeout_ms = e->timeout_ms;
	if (r->pg_id == NH_UNKNOWN)
		r->pg_id = e->pg_id;
	if (!r->desc && n > 1)
		r->desc = nh_fr_text(d->a, &pair[1]);
	r->timing |= e->state == NH_WORK_STARTED || e->duration_us != NH_UNKNOWN;
}

static int from_entries(struct nh_flight *d)
{
	struct nh_fr_group *last = NULL;
	const struct nh_value *before = NULL;

	for (size_t i = 0; i < d->nentries; i++) {
		struct nh_fr_entry *e = &d->entries[i];
		size_t n;
		const struct nh_value *name = nh_tree_items(&d->tree, &e->group, &n);

		if (n && name->kind != NH_V_STR)
			name = NULL;
		/* Mostly the same string of the memo as in the entry before. */
		if (!last || !name || !before || name->s != before->s || name->n != before->n)
			last = group(d, name, e->pg_id);
		before = name;
		if (!last)
			return -E2BIG;
		e->nth = (uint32_t)(last - d->groups.v);
		count(d, last, e);
	}
	return 0;
}

/* "[0, 1, 2]" or a list of integers. */
static void members(struct nh_flight *d, const struct nh_value *v, struct nh_rank_group *ret)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, v, &n);

	for (size_t i = 0; i < n && ret->members.n < MEMBERS_MAX; i++) {
		int64_t rank = nh_value_int(&items[i], -1);

		if (rank >= 0)
			*nh_push(d->a, &ret->members) = rank;
	}
	if (v->kind != NH_V_STR)
		return;
	for (size_t i = 0; i < v->n && ret->members.n < MEMBERS_MAX;) {
		int64_t rank = 0;
		size_t from = i;

		while (i < v->n && v->s[i] >= '0' && v->s[i] <= '9' && i - from < 9)
			rank = rank * 10 + (v->s[i++] - '0');
		if (i > from)
			*nh_push(d->a, &ret->members) = rank;
		else
			i++;
	}
}

/* A value of pg_config: {name, desc, ranks}, before 2.2 the list of ranks itself. */
static void configure(struct nh_flight *d, struct nh_fr_group *g, const struct nh_value *v)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, v, &n);

	if (g->row.members.n)
		return;
	if (v->kind == NH_V_LIST)
		members(d, v, &g->row);
	for (size_t i = 0; v->kind == NH_V_DICT && i + 1 < n; i += 2) {
		if (items[i].kind != NH_V_STR)
			continue;
		if (items[i].word == NH_FR_RANKS)
			members(d, &items[i + 1], &g->row);
		else if (items[i].word == NH_FR_DESC && !g->row.desc && items[i + 1].n)
			g->row.desc = nh_fr_text(d->a, &items[i + 1]);
	}
}

/* Gloo writes one nameless group: the last that was made, which has the highest number. */
static struct nh_fr_group *nameless(struct nh_flight *d)
{
	struct nh_fr_group *last = NULL;

	nh_for(g, &d->groups)
		if (!last || g->row.pg_id > last->row.pg_id)
			last = g;
	return last ? last : group(d, NULL, 0);
}

static int from_config(struct nh_flight *d, const struct nh_value *config)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, config, &n);

	for (size_t i = 0; i + 1 < n; i += 2) {
		const struct nh_value *key = &items[i];
		bool named = key->kind == NH_V_STR;
		struct nh_fr_group *g;

		if (named && !key->n) {
			g = nameless(d);
			if (g)
				g->row.members_guessed = true;
		} else {
			g = group(d, named ? key : NULL, named ? NH_UNKNOWN : nh_value_int(key, 0));
			if (!g)
				return -E2BIG;
		}
		if (g)
			configure(d, g, &items[i + 1]);
	}
	return 0;
}

/* The group a pg_status key means: by number, else (no entries) by a name that is that number. */
static struct nh_fr_group *by_status_key(struct nh_flight *d, const struct nh_value *key)
{
	int64_t id = nh_value_int(key, NH_UNKNOWN);

	if (id == NH_UNKNOWN)
		return NULL;
	nh_for(g, &d->groups)
		if (g->row.pg_id == id)
			return g;
	nh_for(g, &d->groups)
		if (g->row.pg_id == NH_UNKNOWN && key->kind == NH_V_STR &&
			same_text(g->row.group, key))
			return g;
	return NULL;
}

static void status_row(struct nh_flight *d, const struct nh_value *v, struct nh_rank_group *r)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&d->tree, v, &n);

	for (size_t i = 0; v->kind == NH_V_DICT && i + 1 < n; i += 2) {
		int64_t seq = nh_fr_int(&items[i + 1]);

		if (items[i].kind != NH_V_STR)
			continue;
		if (items[i].word == NH_FR_LAST_ENQUEUED)
			r->enqueued = seq;
		else if (items[i].word == NH_FR_LAST_STARTED)
			r->started = seq;
		else if (items[i].word == NH_FR_LAST_COMPLETED)
			r->completed = seq;
	}
	r->timing |= r->started >= 0;
}

static void from_status(struct nh_flight *d, const struct nh_value *status)
{
	size_t n, unknown = 0;
	const struct nh_value *items = nh_tree_items(&d->tree, status, &n);

	for (size_t i = 0; i + 1 < n; i += 2)
		unknown += !by_status_key(d, &items[i]);
	for (size_t i = 0; i + 1 < n; i += 2) {
		struct nh_fr_group *g = by_status_key(d, &items[i]);

		/* Names and numbers that do not all agree are counted in different ways: then only
		 * the first group, number 0 for every rank, is sure. */
		if (g && (!unknown || g->row.entries || nh_value_int(&items[i], 1) == 0))
			status_row(d, &items[i + 1], &g->row);
	}
	/* A group gets its status with its first operation. */
	nh_for(g, &d->groups)
		if (n && d->nentries && g->row.pg_id == NH_UNKNOWN && g->row.enqueued == NH_UNKNOWN)
			g->row.enqueued = -1;
}

int nh_fr_groups(struct nh_flight *d, const struct nh_value *config, const struct nh_value *status)
{
	int rc = from_entries(d);

	if (!rc && config)
		rc = from_config(d, config);
	if (!rc && status)
		from_status(d, status);
	return rc;
}
