#include "records/flight_job.h"

bool nh_block_caused(const struct nh_block *b)
{
	size_t n = b->unstarted.n + b->lost.n;

	for (int s = NH_STAND_BEHIND; s < NH_STANDS; s++)
		n += b->by[s].n;
	return n || b->differ != NH_SAME;
}

/* The block, other than `but`, in which a rank waits itself: one with a cause, if there is one. */
static struct nh_block *waits_in(const struct nh_job *job, const struct nh_block *but, int64_t rank)
{
	nh_for(b, &job->blocks)
		if (b != but && nh_ranks_has(&b->waiters, rank) && nh_block_caused(b))
			return b;
	return NULL;
}

void nh_job_follow(struct nh_job *job)
{
	nh_for(b, &job->blocks) {
		const struct nh_ranks *behind = &b->by[NH_STAND_BEHIND];

		for (size_t i = 0; i < behind->n; i++) {
			struct nh_block *next = waits_in(job, b, behind->v[i]);

			if (!next) {
				nh_ranks_add(job->a, &b->roots, behind->v[i]);
			} else if (!b->next) {
				b->next = next;
				b->via = behind->v[i];
			}
		}
	}
}

const struct nh_collective *nh_job_last(const struct nh_job *job, int64_t rank)
{
	const struct nh_collective *last = NULL;
	size_t lo = 0, hi = job->ops.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (job->ops.v[mid]->rank < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < job->ops.n && job->ops.v[lo]->rank == rank; lo++)
		if (!last || job->ops.v[lo]->record > last->record ||
			(job->ops.v[lo]->record == last->record &&
				job->ops.v[lo]->created_ns > last->created_ns))
			last = job->ops.v[lo];
	return last;
}
