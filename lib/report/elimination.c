/* What can be left out of account, and what remains: the report's opening, and the list behind it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "report/words.h"

#define GROUPS_SHOWN 16
#define HOSTS_SHOWN 4
#define STILL_SHOWN 3
#define WHOM_SHOWN 3

/* "12 idle by design" in the opening sentence.  What waits is told by whom it waits for. */
static const struct {
	const char *one, *many;
} phrases[NH_STANDINGS] = {
	[NH_IN_CHAIN] = { "in the chain", "in the chain" },
	[NH_STILL] = { "stands still for no known reason", "stand still for no known reason" },
	[NH_UNSEEN] = { "not known", "not known" },
	[NH_MOVES] = { "moves", "move" },
	[NH_IDLE] = { "idle by design", "idle by design" },
	[NH_ENDED] = { "ended", "ended" },
};

/* In which order the opening sentence has them: what may be forgotten first. */
static const enum nh_standing told[] = { NH_IDLE, NH_MOVES, NH_ENDED, NH_AWAITS, NH_UNSEEN,
	NH_IN_CHAIN, NH_STILL };

static const char *thread_words(struct nh_arena *a, const struct nh_group *g)
{
	const struct nh_thread *t = g->threads.v[0];
	const char *who = g->known ? g->who : t->comm ? t->comm : "?";

	return t->tid == t->pid ? nh_arena_printf(a, "pid %" PRId64 " (%s)", t->pid, who)
				: nh_arena_printf(a, "thread %" PRId64 " of pid %" PRId64 " (%s)",
					  t->tid, t->pid, who);
}

/* Nobody is convicted: who is to be looked at next. */
static void look_at(struct nh_doc *d, const struct nh_view *v)
{
	const char *s = "";
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		for (size_t j = 0; j < v->groups[i].n && n < STILL_SHOWN; j++) {
			const struct nh_group *g = &v->groups[i].v[j];

			if (g->standing != NH_STILL)
				continue;
			n++;
			s = nh_arena_printf(d->arena, "%s%s%s%s%s%s%s", s, *s ? "; " : "",
				thread_words(d->arena, g),
				v->n > 1 && v->cases[i]->host ? " on " : "",
				v->n > 1 && v->cases[i]->host ? v->cases[i]->host : "",
				g->where ? " in " : ", ", g->where ? g->where : g->what);
		}
	if (n)
		nh_doc_printf(d, NH_B_PARA, "Look next at what stands still: %s.", s);
}

static int64_t waiting_for(const struct nh_view *v, const char *whom)
{
	int64_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		nh_for(g, &v->groups[i])
			if (whom && nh_streq(g->whom, whom))
				n += (int64_t)g->threads.n;
	return n;
}

/* "3 wait for a collective, 1 waits for its child to end" */
static const char *waits_words(struct nh_arena *a, const struct nh_view *v, int64_t left)
{
	NH_VEC(const char *) whom = { 0 };
	const char *s = "";

	for (size_t i = 0; i < v->n; i++)
		nh_for(g, &v->groups[i]) {
			bool told_already = !g->whom || whom.n == WHOM_SHOWN;
			int64_t n;

			nh_for(w, &whom)
				told_already |= nh_streq(*w, g->whom);
			if (told_already)
				continue;
			*nh_push(a, &whom) = g->whom;
			n = waiting_for(v, g->whom);
			left -= n;
			s = nh_join(a, s,
				nh_arena_printf(a, "%" PRId64 " wait%s for %s", n,
					n == 1 ? "s" : "", g->whom));
		}
	return left ? nh_join(a, s, nh_arena_printf(a, "%" PRId64 " for somebody else", left)) : s;
}

void nh_words_summary(struct nh_doc *d, const struct nh_view *v)
{
	int64_t threads = 0, processes = 0, standing[NH_STANDINGS] = { 0 };
	const char *s = "";
	bool one_sample = false;

	for (size_t i = 0; i < v->n; i++) {
		threads += v->groups[i].threads;
		processes += v->groups[i].processes;
		one_sample |= v->groups[i].n && v->groups[i].one_sample;
		for (int k = 0; k < NH_STANDINGS; k++)
			standing[k] += v->groups[i].standing[k];
	}
	if (!threads)
		return;
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		enum nh_standing k = told[i];

		if (standing[k])
			s = nh_join(d->arena, s,
				k == NH_AWAITS
					? waits_words(d->arena, v, standing[k])
					: nh_arena_printf(d->arena, "%" PRId64 " %s", standing[k],
						  standing[k] == 1 ? phrases[k].one
								   : phrases[k].many));
	}
	nh_doc_printf(d, NH_B_PARA, "%" PRId64 " thread%s in %" PRId64 " process%s: %s%s.", threads,
		threads == 1 ? "" : "s", processes, processes == 1 ? "" : "es", s,
		one_sample && standing[NH_UNSEEN] ? " (one sample: whether they move)" : "");
	if (!v->merged->verdict.findings.n)
		look_at(d, v);
}

/* "(pids 1, 2, 3, 4 and 60 more)" */
static const char *pids_words(struct nh_arena *a, const struct nh_group *g)
{
	const struct nh_thread *first = g->threads.v[0];
	const char *s = "";

	if (g->threads.n == 1 && first->tid != first->pid)
		return nh_arena_printf(
			a, " (thread %" PRId64 " of pid %" PRId64 ")", first->tid, first->pid);
	nh_for(pid, &g->pids)
		s = nh_join(a, s, nh_arena_printf(a, "%" PRId64, *pid));
	if (g->processes > (int64_t)g->pids.n)
		s = nh_arena_printf(
			a, "%s and %" PRId64 " more", s, g->processes - (int64_t)g->pids.n);
	return nh_arena_printf(a, " (pid%s %s)", g->processes == 1 ? "" : "s", s);
}

static void group(struct nh_doc *d, const struct nh_group *g)
{
	struct nh_arena *a = d->arena;
	const char *how = nh_standing_word(g->standing);
	struct nh_block *b;

	if (g->whom)
		how = nh_arena_printf(a, "%s for %s", how, g->whom);
	if (g->where)
		how = nh_arena_printf(a, "%s in %s", how, g->where);
	b = nh_doc_pair(d, NH_B_DEF, nh_arena_printf(a, "%zu x", g->threads.n),
		nh_arena_printf(
			a, "%s, %s: %s%s", g->who ? g->who : "?", how, g->what, pids_words(a, g)));
	b->tone = g->standing == NH_IN_CHAIN ? NH_TONE_BAD
		  : g->standing == NH_STILL  ? NH_TONE_WARN
		  : g->standing == NH_IDLE   ? NH_TONE_DIM
					     : NH_TONE_PLAIN;
}

/* Everything that waits, so that the reader sees what was not blamed as well. */
void nh_words_elimination(struct nh_doc *d, const struct nh_view *v)
{
	size_t shown = v->all || v->n <= HOSTS_SHOWN ? v->n : HOSTS_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		const struct nh_groups *all = &v->groups[i];
		size_t n = v->all || all->n <= GROUPS_SHOWN ? all->n : GROUPS_SHOWN;
		const char *host = v->cases[i]->host ? v->cases[i]->host : "unknown";

		if (!all->n)
			continue;
		nh_doc_detail(
			d, "Who waits in what%s%s", v->n > 1 ? " on " : "", v->n > 1 ? host : "");
		for (size_t j = 0; j < n; j++)
			group(d, &all->v[j]);
		if (n < all->n)
			nh_doc_printf(d, NH_B_PARA, "groups not shown here: %zu (--all shows them)",
				all->n - n);
	}
	if (shown < v->n)
		nh_doc_printf(
			d, NH_B_PARA, "hosts not shown here: %zu (--all shows them)", v->n - shown);
}
