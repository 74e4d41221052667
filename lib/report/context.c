#include "report/words.h"

#include <inttypes.h>

#define STOPPED_SHOWN 12

static const char *or_unknown(const char *s)
{
	return s ? s : "unknown";
}

int64_t nh_last_sample(const struct nh_case *c)
{
	int64_t last = 1;

	nh_for(s, &c->samples)
		last = s->sample > last ? s->sample : last;
	return last;
}

static size_t count_processes(const struct nh_case *c)
{
	int64_t last = nh_last_sample(c);
	size_t n = 0;

	nh_for(p, &c->processes)
		n += p->sample == last && p->why != NH_WHY_ANCESTOR;
	return n;
}

static size_t count_threads(const struct nh_case *c)
{
	int64_t last = nh_last_sample(c);
	size_t n = 0;

	nh_for(t, &c->threads)
		n += t->sample == last;
	return n;
}

static const char *ms_words(struct nh_arena *a, int64_t ms)
{
	return ms == NH_UNKNOWN ? "unknown" : nh_arena_printf(a, "%.1f s", (double)ms / 1000);
}

static const char *counted(struct nh_arena *a, size_t n, const char *what, const char *plural)
{
	return nh_arena_printf(a, "%zu %s%s", n, what, n == 1 ? "" : plural);
}

static const char *samples_words(struct nh_arena *a, const struct nh_case *c)
{
	const struct nh_sample *s = c->samples.v;

	if (c->samples.n != 2 || s[0].at_ms == NH_UNKNOWN || s[1].at_ms == NH_UNKNOWN)
		return nh_arena_printf(
			a, "%zu sample%s", c->samples.n, c->samples.n == 1 ? "" : "s");
	return nh_arena_printf(
		a, "2 samples %.1f s apart", ((double)s[1].at_ms - (double)s[0].at_ms) / 1000);
}

static void search_words(struct nh_doc *d, const struct nh_case *c)
{
	nh_for(s, &c->samples)
		if (s->walked != NH_UNKNOWN)
			nh_doc_def(d, "",
				"sample %" PRId64 ": descriptors of %" PRId64
				" processes searched for holders, %" PRId64 " unreadable%s",
				s->sample, s->walked,
				s->unreadable != NH_UNKNOWN ? s->unreadable : 0,
				s->complete ? "" : "; the search did not come to its end");
}

static void one_host(struct nh_doc *d, const struct nh_view *v)
{
	const struct nh_case *c = v->cases[0];

	if (!c->samples.n && c->host == NULL) {
		nh_doc_def(d, "read", "files only; no process was looked at");
		return;
	}
	nh_doc_def(d, "host", "%s, Linux %s %s", or_unknown(c->host), or_unknown(c->kernel),
		c->machine ? c->machine : "");
	nh_doc_def(
		d, "taken", "%s, in %s", or_unknown(c->taken), ms_words(d->arena, c->duration_ms));
	nh_doc_def(d, "read", "%s, %s; %s", counted(d->arena, count_processes(c), "process", "es"),
		counted(d->arena, count_threads(c), "thread", "s"), samples_words(d->arena, c));
	if (v->verbose)
		search_words(d, c);
}

static void many_hosts(struct nh_doc *d, const struct nh_view *v)
{
	static const char *const heads[] = { "host", "procs", "threads", "duration", "kernel",
		"taken", NULL };
	struct nh_block *t = nh_doc_table(d, 1U << 1 | 1U << 2 | 1U << 3, heads);

	for (size_t i = 0; i < v->n; i++) {
		const struct nh_case *c = v->cases[i];
		struct nh_row *row = nh_doc_row(d, t);

		row->cells[0] = nh_doc_cell(d, "%s", or_unknown(c->host));
		row->cells[1] = nh_doc_cell(d, "%zu", count_processes(c));
		row->cells[2] = nh_doc_cell(d, "%zu", count_threads(c));
		row->cells[3] = ms_words(d->arena, c->duration_ms);
		row->cells[4] = nh_doc_cell(d, "%s", or_unknown(c->kernel));
		row->cells[5] = nh_doc_cell(d, "%s", or_unknown(c->taken));
	}
}

/* Which threads paid for being looked at. */
static void stopped(struct nh_doc *d, const struct nh_view *v)
{
	const char *tids = "";
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		nh_for(t, &v->cases[i]->threads)
			if (t->stopped && (++n <= STOPPED_SHOWN || v->all))
				tids = nh_join(d->arena, tids,
					nh_arena_printf(d->arena, "%" PRId64, t->tid));
	if (!n)
		nh_doc_def(
			d, "stopped", "nothing: no process was attached to, stopped or signalled");
	else
		nh_doc_def(d, "stopped",
			"%zu thread%s, for the moment it took to copy its stack: %s%s", n,
			n == 1 ? "" : "s, one at a time", tids,
			n > STOPPED_SHOWN && !v->all ? ", … (--all names them)" : "");
}

void nh_words_footer(struct nh_doc *d, const struct nh_view *v)
{
	nh_doc_detail(d, "How this was found out");
	if (v->n == 1)
		one_host(d, v);
	else
		many_hosts(d, v);
	if (v->n > 1 || v->cases[0]->samples.n)
		stopped(d, v);
	nh_doc_def(
		d, "tool", "%s; case %s", or_unknown(v->merged->tool), or_unknown(v->merged->id));
}
