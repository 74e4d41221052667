#include <inttypes.h>
#include "report/words.h"

#define WAITERS_SHOWN 4

static const char *thread_words(
	struct nh_arena *a, const struct nh_case *c, int64_t pid, int64_t tid)
{
	int64_t last = nh_last_sample(c);

	nh_for(t, &c->threads)
		if (t->sample == last && t->pid == pid && t->tid == tid && t->comm)
			return nh_arena_printf(a, "%" PRId64 " (%s)", tid, t->comm);
	return nh_arena_printf(a, "%" PRId64, tid);
}

static const char *waiters_words(
	struct nh_arena *a, const struct nh_case *c, const struct nh_interpreter *in)
{
	const char *s = "";

	for (size_t i = 0; i < in->waiters.n && i < WAITERS_SHOWN; i++)
		s = nh_join(a, s, thread_words(a, c, in->pid, in->waiters.v[i]));
	if (in->waiters.n > WAITERS_SHOWN)
		s = nh_arena_printf(a, "%s and %zu more", s, in->waiters.n - WAITERS_SHOWN);
	return nh_arena_printf(a, "; thread%s %s wait%s for it", in->waiters.n == 1 ? "" : "s", s,
		in->waiters.n == 1 ? "s" : "");
}

static void one(struct nh_doc *d, const struct nh_case *c, const struct nh_interpreter *in)
{
	struct nh_arena *a = d->arena;
	const char *holder = !in->locked ? "nobody holds the GIL"
			     : in->holder == NH_UNKNOWN
				     ? "the GIL is held"
				     : nh_arena_printf(a, "thread %s holds the GIL",
					       thread_words(a, c, in->pid, in->holder));

	nh_doc_printf(d, NH_B_PARA, "Python %s in pid %" PRId64 "%s: %s%s%s%s%s.",
		in->version ? in->version : "?", in->pid,
		in->id > 0 ? nh_arena_printf(a, ", sub-interpreter %" PRId64, in->id) : "", holder,
		in->waiters.n ? waiters_words(a, c, in) : "",
		in->finalizing ? "; the interpreter ends" : "", in->note ? "; " : "",
		in->note ? in->note : "");
}

void nh_words_python(struct nh_doc *d, const struct nh_view *v, const struct nh_case *c)
{
	int64_t last = nh_last_sample(c);
	size_t quiet = 0;

	nh_for(in, &c->interpreters) {
		if (in->sample != last)
			continue;
		if (v->all || in->waiters.n || in->locked || in->finalizing || in->note ||
			in->id > 0)
			one(d, c, in);
		else
			quiet++;
	}
	if (quiet)
		nh_doc_printf(d, NH_B_PARA,
			"Python in %zu process%s: nobody holds the GIL or waits for it.", quiet,
			quiet == 1 ? "" : "es");
}
