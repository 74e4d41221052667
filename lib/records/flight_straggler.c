#include "records/flight_job.h"

#include <stdlib.h>
#include "records/flight_tell.h"
#include "rules/rule.h"
#include "records/straggler.h"
#include "base/str.h"

/* Lateness is taken from clocks of different hosts: it must be more than clocks are apart. */
enum { LATE_NS = 5000000, LATE_SHARE = 20, LATE_HOLDS_PERCENT = 80 };

struct tally {
	int64_t rank;
	size_t held;
	int64_t least, median; /* sums over the held steps: us of waiting, or ns of lateness */
};
struct tallies {
	struct tally *v;
	size_t n, cap;
};

/* The steps of one group, by sequence number and rank. */
struct steps {
	NH_VEC(const struct nh_step_wait *) rows;
	size_t compared, ranks;
	struct tallies by_wait, by_clock;
	size_t held, late; /* steps that some rank holds */
	int64_t first_ns, last_ns;
};

static int by_step(const void *a, const void *b)
{
	const struct nh_step_wait *x = *(const struct nh_step_wait *const *)a;
	const struct nh_step_wait *y = *(const struct nh_step_wait *const *)b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_value(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	return (x->least > y->least) - (x->least < y->least);
}

static void hold(struct nh_arena *a, struct tallies *all, const struct tally *t)
{
	nh_for(old, all)
		if (old->rank == t->rank) {
			old->held++;
			old->least += t->least;
			old->median += t->median;
			return;
		}
	*nh_push(a, all) = *t;
}

/* One step of every rank: *value of each, sorted; false if some rank's is not known. */
static bool values(const struct nh_step_wait *const *row, size_t n, bool clock, struct tally *ret)
{
	for (size_t i = 0; i < n; i++) {
		int64_t v = clock ? row[i]->created_ns : row[i]->wait_us;

		if (v == NH_UNKNOWN || v < 0)
			return false;
		ret[i] = (struct tally){ row[i]->rank, 1, v, 0 };
	}
	qsort(ret, n, sizeof(*ret), by_value);
	return true;
}

static void compare_step(
	struct nh_job *job, struct steps *s, const struct nh_step_wait *const *row, size_t n)
{
	struct tally *v = nh_new(job->a, struct tally, n);
	int64_t others, late;

	s->compared++;
	if (values(row, n, false, v) && nh_step_is_held(v[0].least, v[n / 2].least)) {
		s->held++;
		v[0].median = v[n / 2].least;
		hold(job->a, &s->by_wait, &v[0]);
	}
	if (!values(row, n, true, v))
		return;
	s->first_ns = s->first_ns == NH_UNKNOWN ? v[0].least : s->first_ns;
	s->last_ns = v[0].least;
	others = v[n - 2].least - v[0].least;
	late = v[n - 1].least - v[n - 2].least;
	if (late >= LATE_NS && late / 3 >= others) {
		s->late++;
		v[n - 1].least = late;
		hold(job->a, &s->by_clock, &v[n - 1]);
	}
}

static void compare(struct nh_job *job, struct steps *s)
{
	const struct nh_step_wait *const *row = s->rows.v;

	for (size_t i = 0, end; i < s->rows.n; i = end) {
		for (end = i; end < s->rows.n && row[end]->seq == row[i]->seq; end++)
			;
		s->ranks = end - i > s->ranks ? end - i : s->ranks;
	}
	for (size_t i = 0, end; s->ranks > 1 && i < s->rows.n; i = end) {
		for (end = i; end < s->rows.n && row[end]->seq == row[i]->seq; end++)
			;
		if (end - i == s->ranks)
			compare_step(job, s, row + i, end - i);
	}
}

static const struct tally *most(const struct tallies *all)
{
	const struct tally *best = NULL;

	nh_for(t, all)
		best = !best || t->held > best->held ? t : best;
	return best;
}

static struct nh_finding *begin(struct nh_job *job, const struct steps *s, int64_t rank, int sure)
{
	struct nh_finding *f = nh_straggler_found(job->c, rank, sure);
	int64_t last = NH_UNKNOWN;

	nh_for(row, &s->rows)
		if ((*row)->seq == s->rows.v[0]->seq && (*row)->rank != rank &&
			(*row)->rank != last) {
			last = (*row)->rank;
			*nh_push(job->a, &f->victims) = nh_flight_actor(last);
		}
	return f;
}

static void tell_wait(struct nh_job *job, const struct steps *s, const struct tally *t)
{
	struct nh_finding *f = begin(job, s, t->rank, NH_LIKELY);
	double own = (double)t->least / (double)t->held / 1000;
	double middle = (double)t->median / (double)t->held / 1000;

	f->title = nh_arena_printf(job->a,
		"rank %jd is last into the collectives: the others wait for it in %zu of %zu steps",
		(intmax_t)t->rank, t->held, s->compared);
	nh_tell_evidence(job->a, f,
		"time inside collectives a step: rank %jd %.1f ms, the median rank %.1f ms, a margin of "
		"%.1f ms",
		(intmax_t)t->rank, own, middle, middle - own);
	nh_tell_evidence(job->a, f,
		"it had the shortest time, by a third or more, in %zu of %zu steps", t->held,
		s->compared);
	nh_tell_unknown(job->a, f, "why it is late: the recorder sees collectives only");
}

static void tell_clock(struct nh_job *job, const struct steps *s, const struct tally *t)
{
	struct nh_finding *f = begin(job, s, t->rank, NH_POSSIBLE);

	f->title = nh_arena_printf(job->a,
		"rank %jd begins its steps later than the others, in %zu of %zu of them",
		(intmax_t)t->rank, t->held, s->compared);
	nh_tell_evidence(job->a, f,
		"by its clock it enqueues the same collective %.1f ms after the last of the others",
		(double)t->least / (double)t->held / 1e6);
	nh_tell_unknown(job->a, f,
		"weaker than times inside collectives, which were not recorded: another host's clock "
		"that runs ahead looks the same");
	nh_tell_remedy(job->a, f,
		"record times inside collectives. Price: an event query per "
		"collective in the watchdog",
		"export TORCH_NCCL_ENABLE_TIMING=1");
}

static void judge(struct nh_job *job, struct steps *s)
{
	const struct tally *wait = most(&s->by_wait), *clock = most(&s->by_clock);
	int64_t period;

	if (s->compared < NH_STRAGGLER_STEPS)
		return;
	period = (s->last_ns - s->first_ns) / (int64_t)s->compared;
	if (wait && wait->held * 100 >= s->compared * NH_STRAGGLER_SHARE)
		tell_wait(job, s, wait);
	else if (wait && s->held * 100 >= s->compared * NH_STRAGGLER_SHARE)
		nh_straggler_goes_round(job->c, "time inside collectives", s->by_wait.n);
	else if (!wait && clock && clock->held * 100 >= s->compared * LATE_HOLDS_PERCENT &&
		 clock->least / (int64_t)clock->held >= period / LATE_SHARE)
		tell_clock(job, s, clock);
}

void nh_job_stragglers(struct nh_job *job)
{
	nh_for(t, &job->teams) {
		struct steps s = { .first_ns = NH_UNKNOWN, .last_ns = NH_UNKNOWN };

		nh_for(row, &job->c->step_waits) {
			const struct nh_member *m =
				nh_streq(row->group, t->name) ? nh_team_member(t, row->rank) : NULL;

			if (m && m->row && nh_streq(m->row->source, row->source))
				*nh_push(job->a, &s.rows) = row;
		}
		if (s.rows.n)
			qsort(s.rows.v, s.rows.n, sizeof(*s.rows.v), by_step);
		compare(job, &s);
		judge(job, &s);
	}
}
