#include "evidence/flight.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "evidence/flight_dump.h"
#include "evidence/json_tree.h"
#include "evidence/pickle.h"

/* A dump whose last entry is further ahead of its own pg_status contradicts itself: damaged. */
#define STATUS_LAG 64
#define RANK_DIGITS 7

static bool has(const char *buf, size_t len, const char *word)
{
	return buf && memmem(buf, len, word, strlen(word));
}

bool nh_flight_is(const char *buf, size_t len)
{
	size_t i = 0;

	if (nh_pickle_is(buf, len))
		return has(buf, len, "pg_config") || has(buf, len, "profiling_name") ||
		       (has(buf, len, "entries") && has(buf, len, "version"));
	while (i < len && isspace((unsigned char)buf[i]))
		i++;
	return i < len && (buf[i] == '{' || buf[i] == '[') &&
	       (has(buf, len, "\"pg_config\"") || has(buf, len, "\"profiling_name\""));
}

int64_t nh_flight_rank(const char *name)
{
	static const char *const ends[] = { ".gz", ".zst", ".json", ".pkl", ".pickle", ".txt",
		".bin" };
	const char *base = strrchr(name, '/');
	size_t n, digits = 0;

	base = base ? base + 1 : name;
	n = strlen(base);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (n > strlen(ends[i]) &&
			!memcmp(base + n - strlen(ends[i]), ends[i], strlen(ends[i])))
			n -= strlen(ends[i]);
	while (digits < n && isdigit((unsigned char)base[n - digits - 1]))
		digits++;
	return digits && digits <= RANK_DIGITS ? strtol(base + n - digits, NULL, 10) : -EINVAL;
}

/* Top-level values by their word; the list-shaped dumps of before 2024 are their entries. */
static void top_level(const struct nh_tree *t, const struct nh_value **ret)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(t, &t->root, &n);

	if (t->root.kind == NH_V_LIST)
		ret[NH_FR_ENTRIES] = &t->root;
	for (size_t i = 0; t->root.kind == NH_V_DICT && i + 1 < n; i += 2)
		if (items[i].kind == NH_V_STR && items[i].word <= NH_FR_PG_STATUS)
			ret[items[i].word] = &items[i + 1];
}

static const char *contradiction(struct nh_flight *d)
{
	nh_for(g, &d->groups)
		if (g->row.enqueued >= -1 && g->row.last != NH_UNKNOWN &&
			g->row.last - STATUS_LAG > g->row.enqueued)
			return nh_arena_printf(d->a,
				"contradicts itself: group %s has entry %jd, but its status says that "
				"%jd was the last",
				g->row.group, (intmax_t)g->row.last, (intmax_t)g->row.enqueued);
	return NULL;
}

static void add_rows(struct nh_flight *d)
{
	nh_fr_choose(d);
	nh_for(g, &d->groups) {
		g->row.off = !d->nentries;
		*nh_case_row(d->c, rank_group, rank_groups) = g->row;
	}
	if (!d->groups.n) {
		struct nh_rank_group *r = nh_case_row(d->c, rank_group, rank_groups);

		r->rank = d->rank;
		r->source = d->source;
		r->version = d->version;
		r->off = true;
	}
	nh_fr_keep(d);
	nh_fr_steps(d);
}

static int read_dump(struct nh_flight *d, struct nh_err *err)
{
	const struct nh_value *top[NH_FR_PG_STATUS + 1] = { 0 };
	const char *why;
	size_t n;
	int rc;

	top_level(&d->tree, top);
	if (!top[NH_FR_ENTRIES] && !top[NH_FR_VERSION])
		return nh_fail(err, -EINVAL, "neither entries nor a version in it");
	d->version = nh_fr_text(d->a, top[NH_FR_VERSION]);
	nh_tree_items(&d->tree, top[NH_FR_ENTRIES], &n);
	if (n && !d->nentries)
		return nh_fail(err, -EINVAL, "its entries are not operations");
	rc = nh_fr_groups(d, top[NH_FR_PG_CONFIG], top[NH_FR_PG_STATUS]);
	if (rc)
		return nh_fail(err, rc, "more than %d process groups", NH_FR_GROUPS_MAX);
	why = contradiction(d);
	if (why)
		return nh_fail(err, -EINVAL, "%s", why);
	add_rows(d);
	return 0;
}

/* The rank is known but not what it did: that is neither a missing dump nor an innocent rank. */
static void damaged(struct nh_flight *d, const char *why)
{
	struct nh_rank_group *r = nh_case_row(d->c, rank_group, rank_groups);
	struct nh_gap *gap = nh_push(d->a, &d->c->gaps);

	r->rank = d->rank;
	r->source = d->source;
	r->damaged = nh_utf8_repair(d->a, why, strlen(why));
	gap->subject = nh_arena_printf(d->a, "rank %jd", (intmax_t)d->rank);
	gap->what = "flight-recorder dump";
	gap->why = nh_arena_printf(d->a, "%s: %s", d->source, r->damaged);
}

struct nh_flight *nh_flight_new(struct nh_case *c)
{
	struct nh_flight *f = calloc(1, sizeof(*f));

	if (f) {
		f->c = c;
		f->a = c->arena;
		f->tree.word = nh_fr_word;
		f->tree.take = nh_fr_take;
		f->tree.ctx = f;
	}
	return f;
}

void nh_flight_free(struct nh_flight *f)
{
	if (f) {
		nh_tree_free(&f->tree);
		free(f->entries);
		free(f);
	}
}

int nh_flight_read(
	struct nh_flight *f, const char *name, const char *buf, size_t len, struct nh_err *err)
{
	json_t *keep = NULL;
	struct nh_err inner;
	int rc;

	f->rank = nh_flight_rank(name);
	if (f->rank < 0)
		return nh_fail(err, -EINVAL,
			"%s: a flight-recorder dump of an unknown rank: the dump itself does not say, so "
			"let the file's name end with it, as in nccl_trace_rank_3",
			name);
	f->source = nh_utf8_repair(f->a, name, strlen(name));
	f->version = NULL;
	f->nentries = 0;
	memset(&f->groups, 0, sizeof(f->groups)); /* pushes hand out zeroed rows only once */
	rc = nh_pickle_is(buf, len) ? nh_pickle_read(buf, len, &f->tree, &inner)
				    : nh_json_tree(buf, len, &f->tree, &keep, &inner);
	if (!rc)
		rc = read_dump(f, &inner);
	if (rc) {
		damaged(f, inner.msg);
		nh_fail(err, rc, "%s: flight-recorder dump of rank %jd: %s", name,
			(intmax_t)f->rank, inner.msg);
	}
	json_decref(keep);
	return rc;
}
