#include "records/flight_job.h"

#include <stdlib.h>
#include <string.h>

/* Dumps of one hang are written within one timeout of each other; this is the least assumed. */
#define TIMEOUT_MS 600000

static bool symmetric(const struct nh_collective *e)
{
	return strstr(e->op, "all") || strstr(e->op, "reduce_scatter") || strstr(e->op, "barrier");
}

/* What a member has enqueued and what it waits in. */
static void place(struct nh_member *m)
{
	const struct nh_rank_group *r = m->row;

	if (!r || r->damaged)
		return;
	m->enqueued = r->enqueued > r->last ? r->enqueued : r->last;
	for (size_t i = 0; i < m->n; i++)
		if (!m->entry[i]->p2p && !m->entry[i]->done && m->entry[i]->seq != NH_UNKNOWN &&
			(m->wait == NH_UNKNOWN || m->entry[i]->seq < m->wait))
			m->wait = m->entry[i]->seq;
	/* What has left the ring, or was never in it, shows in the status alone. */
	if (r->completed != NH_UNKNOWN && r->enqueued > r->completed &&
		(r->first == NH_UNKNOWN || (r->completed >= 0 && r->completed + 1 < r->first)))
		m->wait = r->completed < 0 ? 1 : r->completed + 1;
}

/* The highest operation that this member has seen completed and that no rank can leave early. */
static int64_t completed(const struct nh_member *m)
{
	int64_t seq = NH_UNKNOWN;

	for (size_t i = 0; i < m->n; i++) {
		const struct nh_collective *e = m->entry[i];
		int64_t sure = e->seq;

		if (e->p2p || !e->done || sure == NH_UNKNOWN || !symmetric(e))
			continue;
		/* Without the state (Gloo) an operation that failed counts as completed. */
		sure -= e->state != NH_WORK_COMPLETED;
		seq = sure > seq ? sure : seq;
	}
	return seq;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median_newest(struct nh_arena *a, const struct nh_team *t)
{
	int64_t *ns = nh_new(a, int64_t, t->members.n + 1);
	size_t n = 0;

	nh_for(m, &t->members)
		if (m->row && m->row->newest_ns != NH_UNKNOWN)
			ns[n++] = m->row->newest_ns;
	if (n)
		qsort(ns, n, sizeof(*ns), ascending);
	return n ? ns[n / 2] : NH_UNKNOWN;
}

/*
 * A dump of another time: the others have completed what it has not even scheduled, which cannot
 * be at one time; or its last operation is further from theirs than any timeout allows.
 */
static void find_stale(struct nh_arena *a, struct nh_team *t)
{
	int64_t middle = median_newest(a, t), done = NH_UNKNOWN;

	nh_for(m, &t->members) {
		int64_t seq = completed(m);

		done = seq > done ? seq : done;
	}
	nh_for(m, &t->members) {
		int64_t ms = m->row ? m->row->timeout_ms : NH_UNKNOWN, apart = 0;

		if (!m->row || m->row->damaged)
			continue;
		if (m->row->newest_ns != NH_UNKNOWN && middle != NH_UNKNOWN)
			apart = llabs(m->row->newest_ns - middle) / 1000000;
		if (m->enqueued != NH_UNKNOWN && done > m->enqueued)
			m->why = nh_arena_printf(a,
				"its last operation is %jd, but others have completed %jd, which "
				"they cannot without it",
				(intmax_t)m->enqueued, (intmax_t)done);
		else if (apart > (ms > TIMEOUT_MS ? ms : TIMEOUT_MS))
			m->why = nh_arena_printf(a,
				"its last operation is %jd s apart from the others'",
				(intmax_t)(apart / 1000));
		if (m->why)
			m->stand = NH_STAND_STALE;
	}
}

static void find_frontier(struct nh_team *t)
{
	t->frontier = NH_UNKNOWN;
	nh_for(m, &t->members)
		if (m->stand != NH_STAND_STALE && m->wait != NH_UNKNOWN &&
			(t->frontier == NH_UNKNOWN || m->wait < t->frontier))
			t->frontier = m->wait;
}

/* What the member ran there: one operation, or several that were coalesced. */
static void find_at(struct nh_member *m, int64_t seq)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->entry[i]->p2p || m->entry[i]->seq != seq) {
			if (m->at)
				return;
			continue;
		}
		if (!m->at) {
			m->at = m->entry[i];
			m->batch = m->entry + i;
		}
		m->nbatch++;
	}
}

static enum nh_stand stand_of(
	const struct nh_job *job, const struct nh_team *t, struct nh_member *m)
{
	const struct nh_rank_group *dump = nh_job_dump(job, m->rank);

	if (m->stand == NH_STAND_STALE)
		return NH_STAND_STALE;
	if (!dump)
		return NH_STAND_ABSENT;
	if (dump->damaged) {
		m->why = dump->damaged;
		return NH_STAND_DAMAGED;
	}
	if (m->enqueued == NH_UNKNOWN)
		return m->row && m->row->entries ? NH_STAND_QUIET : NH_STAND_OFF;
	find_at(m, t->frontier);
	if (m->enqueued < t->frontier)
		return NH_STAND_BEHIND;
	return m->wait == t->frontier ? NH_STAND_AT : NH_STAND_PAST;
}

void nh_job_stand(struct nh_job *job)
{
	nh_for(t, &job->teams) {
		nh_for(m, &t->members)
			place(m);
		find_stale(job->a, t);
		find_frontier(t);
		if (t->frontier != NH_UNKNOWN)
			nh_for(m, &t->members)
				m->stand = stand_of(job, t, m);
	}
}
