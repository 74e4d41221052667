#include "evidence/flight_dump.h"

#include <stdlib.h>
#include <string.h>
#include "base/set.h"
#include "base/str.h"

/*
 * A step runs from one occurrence of a call site to the next.  The rarest call site of the group
 * that recurs is taken, so that a step is a turn of the training loop and not one of its layers;
 * every rank sees the same call sites, so every rank takes the same one.
 */
enum { SITES_MAX = 256, RECURS = 4 };

struct site {
	uint64_t key;
	size_t n;
};

static bool symmetric(const struct nh_fr_entry *e)
{
	return !e->p2p && e->name.word == NH_FR_SYMMETRIC;
}

/* Texts recur from the pickle's memo, at the same place: the last one's hash is at hand. */
struct texts {
	struct {
		const char *s;
		uint64_t hash;
	} last[16];
};

static uint64_t text_hash(struct texts *t, const char *s, size_t n)
{
	size_t i = ((uintptr_t)s >> 2) % (sizeof(t->last) / sizeof(*t->last));

	if (t->last[i].s != s) {
		t->last[i].s = s;
		t->last[i].hash = nh_hash(s, n, 0);
	}
	return t->last[i].hash;
}

/* Which call site an entry comes from, the same in every rank; never 0. */
static uint64_t site_of(const struct nh_flight *d, const struct nh_fr_entry *e, struct texts *t)
{
	const struct nh_value *name = NULL, *file;
	int64_t line = 0;
	uint64_t key = text_hash(t, e->name.s, e->name.n);

	file = nh_fr_frame(&d->tree, e, &name, &line);
	if (file)
		key = (key * 31 + text_hash(t, file->s, file->n)) * 31 + (uint64_t)line;
	return key ? key : 1;
}

/* The group whose collectives delimit steps: the default one, else the one with most members. */
static size_t step_group(const struct nh_flight *d)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < d->groups.n; i++) {
		const struct nh_rank_group *g = &d->groups.v[i].row;

		if (g->last == NH_UNKNOWN || g->last - g->first < RECURS)
			continue;
		if (nh_streq(g->desc, "default_pg"))
			return i;
		if (best == SIZE_MAX || g->members.n > d->groups.v[best].row.members.n)
			best = i;
	}
	return best;
}

static void count_site(struct site *sites, size_t *n, uint64_t key)
{
	for (size_t i = 0; i < *n; i++) {
		if (sites[i].key == key) {
			sites[i].n++;
			return;
		}
	}
	if (*n < SITES_MAX)
		sites[(*n)++] = (struct site){ key, 1 };
}

/* Rings are cut at different places, so counts of one site may differ by one between ranks: what
 * is nearly the rarest competes, and the key decides. */
static uint64_t choose_site(const struct site *sites, size_t n)
{
	size_t least = SIZE_MAX;
	uint64_t key = 0;

	for (size_t i = 0; i < n; i++)
		if (sites[i].n >= RECURS && sites[i].n < least)
			least = sites[i].n;
	for (size_t i = 0; i < n; i++)
		if (sites[i].n >= RECURS && sites[i].n <= least + least / 4 + 1 &&
			(!key || sites[i].key < key))
			key = sites[i].key;
	return key;
}

/* keys[i]: call site of entry i where it is a symmetric collective of the group, else 0. */
static uint64_t find_sites(const struct nh_flight *d, size_t group, uint64_t *keys)
{
	struct site sites[SITES_MAX];
	struct texts texts = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < d->nentries; i++) {
		const struct nh_fr_entry *e = &d->entries[i];

		if (e->nth != group || !symmetric(e))
			continue;
		keys[i] = site_of(d, e, &texts);
		count_site(sites, &n, keys[i]);
	}
	return choose_site(sites, n);
}

static void add(struct nh_step_wait *step, const struct nh_fr_entry *e)
{
	step->ops++;
	if (e->duration_us == NH_UNKNOWN)
		return;
	if (step->wait_us == NH_UNKNOWN)
		step->wait_us = 0;
	if (step->wait_us < INT64_MAX / 2) /* each is at most 1e15 us */
		step->wait_us += e->duration_us;
}

static void add_steps(struct nh_flight *d, size_t group, uint64_t *keys)
{
	uint64_t site = find_sites(d, group, keys);
	struct nh_step_wait *step = NULL;
	size_t left = 0;

	for (size_t i = 0; site && i < d->nentries; i++)
		left += keys[i] == site;
	for (size_t i = 0; site && i < d->nentries; i++) {
		const struct nh_fr_entry *e = &d->entries[i];

		/* The last one is not over yet. */
		if (keys[i] == site && --left == 0)
			return;
		if (keys[i] == site && left <= NH_KEPT_STEPS) {
			step = nh_case_row(d->c, step_wait, step_waits);
			step->rank = d->rank;
			step->source = d->source;
			step->group = d->groups.v[group].row.group;
			step->seq = e->seq;
			step->created_ns = e->created;
			step->ops = 0;
		}
		if (step && symmetric(e))
			add(step, e);
	}
}

void nh_fr_steps(struct nh_flight *d)
{
	size_t group = step_group(d);
	uint64_t *keys = group == SIZE_MAX ? NULL : calloc(d->nentries, sizeof(*keys));

	if (keys)
		add_steps(d, group, keys);
	free(keys);
}
