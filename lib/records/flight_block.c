#include "records/flight_job.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"

/* A rank that has scheduled what others have started: only where the rank records starts. */
static void find_unstarted(struct nh_job *job, struct nh_block *b)
{
	bool started = false;

	nh_for(m, &b->team->members)
		started |= m->at && (m->at->state == NH_WORK_STARTED || m->at->started_ns > 0);
	nh_for(m, &b->team->members)
		if (started && m->at && m->row->timing && m->at->state == NH_WORK_SCHEDULED &&
			m->stand == NH_STAND_AT)
			nh_ranks_add(job->a, &b->unstarted, m->rank);
}

static void block_of(struct nh_job *job, struct nh_team *t)
{
	struct nh_block *b = nh_push(job->a, &job->blocks);

	b->team = t;
	b->seq = t->frontier;
	nh_for(m, &t->members) {
		if (m->stand == NH_STAND_AT) {
			nh_ranks_add(job->a, &b->waiters, m->rank);
			b->op = b->op ? b->op : m->at;
			b->retired |= m->at && m->at->retired;
		} else {
			nh_ranks_add(job->a, &b->by[m->stand], m->rank);
		}
		if ((m->stand == NH_STAND_AT || m->stand == NH_STAND_PAST) && !m->at)
			nh_ranks_add(job->a, &b->lost, m->rank);
	}
	nh_job_compare(job, b);
	find_unstarted(job, b);
}

void nh_job_block(struct nh_job *job)
{
	nh_for(t, &job->teams)
		if (t->frontier != NH_UNKNOWN)
			block_of(job, t);
}

/* "send 1->2" or "recv 2<-1": the group-local peer; -1 for anything else. */
static int64_t peer_of(const char *op, bool *sends)
{
	const char *arrow;

	*sends = nh_starts_with(op, "send ");
	if (!*sends && !nh_starts_with(op, "recv "))
		return -1;
	arrow = strstr(op, *sends ? "->" : "<-");
	return arrow && arrow[2] >= '0' && arrow[2] <= '9' ? strtoll(arrow + 2, NULL, 10) : -1;
}

static int64_t global(const struct nh_team *t, int64_t local)
{
	if (local < 0 || !t->norder)
		return local;
	return (size_t)local < t->norder ? t->order[local] : -1;
}

/* The other side's k-th operation that answers e and has not completed either. */
static const struct nh_collective *answer(
	const struct nh_team *t, const struct nh_member *peer, int64_t rank, bool sends, size_t k)
{
	for (size_t i = 0; i < peer->n; i++) {
		const struct nh_collective *e = peer->entry[i];
		bool other;

		if (e->p2p && !e->done && global(t, peer_of(e->op, &other)) == rank &&
			other != sends && !k--)
			return e;
	}
	return NULL;
}

static void compare_pair(struct nh_job *job, struct nh_block *b, const struct nh_collective *a,
	const struct nh_collective *z)
{
	int64_t x = a->in_numel != 0 ? a->in_numel : a->out_numel;
	int64_t y = z->in_numel != 0 ? z->in_numel : z->out_numel;

	if (x != y && x != NH_UNKNOWN && y != NH_UNKNOWN)
		b->differ = NH_DIFFER_SIZE;
	else if (a->in_dtypes && z->in_dtypes && !nh_streq(a->in_dtypes, z->in_dtypes))
		b->differ = NH_DIFFER_DTYPE;
	if (b->differ == NH_SAME)
		return;
	*nh_push(job->a, &b->sides) =
		nh_arena_printf(job->a, "rank %jd: %s", (intmax_t)a->rank, nh_op_words(job->a, a));
	*nh_push(job->a, &b->sides) =
		nh_arena_printf(job->a, "rank %jd: %s", (intmax_t)z->rank, nh_op_words(job->a, z));
}

static enum nh_stand peer_stand(
	const struct nh_job *job, const struct nh_member *peer, int64_t rank)
{
	const struct nh_rank_group *dump = nh_job_dump(job, rank);

	if (!dump)
		return NH_STAND_ABSENT;
	if (dump->damaged)
		return NH_STAND_DAMAGED;
	if (peer && peer->stand == NH_STAND_STALE)
		return NH_STAND_STALE;
	return dump->off ? NH_STAND_OFF : NH_STAND_BEHIND;
}

/* What a member has open towards one peer. */
struct towards {
	int64_t rank;
	const struct nh_collective *first;
	size_t n[2]; /* receives, sends so far */
};
struct peers {
	struct towards *v;
	size_t n, cap;
};

/* NULL if e is queued behind the first: not coalesced with it. */
static struct towards *towards(
	struct nh_arena *a, struct peers *all, int64_t rank, const struct nh_collective *e)
{
	struct towards *t;

	nh_for(old, all)
		if (old->rank == rank)
			return old->first->seq == e->seq && old->first->p2p_seq == e->p2p_seq
				       ? old
				       : NULL;
	t = nh_push(a, all);
	t->rank = rank;
	t->first = e;
	return t;
}

/* e is the k-th of its direction towards that rank. */
static void pair(struct nh_job *job, struct nh_team *t, const struct nh_member *m,
	const struct nh_collective *e, int64_t rank, bool sends, size_t k)
{
	struct nh_member *peer = nh_team_member(t, rank);
	const struct nh_collective *z = peer ? answer(t, peer, m->rank, sends, k) : NULL;
	struct nh_block b = { .team = t, .op = e, .seq = e->p2p_seq, .p2p = true };

	if (z && rank < m->rank)
		return; /* told from the other side */
	if (!z && peer && peer->row && peer->row->p2p_cut)
		return; /* it may be among those that were not kept */
	b.retired = e->retired;
	nh_ranks_add(job->a, &b.waiters, m->rank);
	if (z) {
		nh_ranks_add(job->a, &b.waiters, rank);
		compare_pair(job, &b, e, z);
	} else {
		nh_ranks_add(job->a, &b.by[peer_stand(job, peer, rank)], rank);
	}
	if (!k || !z || b.differ != NH_SAME)
		*nh_push(job->a, &job->blocks) = b;
}

/* The P2P operations that a member waits in: towards each peer the first, and those coalesced with
 * it. */
static void pairs_of(struct nh_job *job, struct nh_team *t, const struct nh_member *m)
{
	struct peers all = { 0 };

	for (size_t i = 0; i < m->n; i++) {
		const struct nh_collective *e = m->entry[i];
		bool sends;
		int64_t rank = e->p2p && !e->done ? global(t, peer_of(e->op, &sends)) : -1;
		struct towards *to;

		if (rank < 0 || rank == m->rank)
			continue;
		to = towards(job->a, &all, rank, e);
		if (to)
			pair(job, t, m, e, rank, sends, to->n[sends]++);
	}
}

void nh_job_block_p2p(struct nh_job *job)
{
	nh_for(t, &job->teams)
		nh_for(m, &t->members)
			if (m->stand != NH_STAND_STALE)
				pairs_of(job, t, m);
}
