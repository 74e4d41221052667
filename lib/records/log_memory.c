#include "records/log_job.h"

#include "rules/rule.h"

static void tell_numbers(struct nh_log_job *job, struct nh_finding *f, const struct nh_log_event *e)
{
	static const struct {
		size_t offset;
		const char *what;
	} numbers[] = {
		{ offsetof(struct nh_log_event, requested), "requested" },
		{ offsetof(struct nh_log_event, free), "free on the GPU" },
		{ offsetof(struct nh_log_event, allocated), "allocated by PyTorch" },
		{ offsetof(struct nh_log_event, reserved), "reserved by PyTorch but unallocated" },
		{ offsetof(struct nh_log_event, capacity), "the GPU's capacity" },
	};
	const char *s = NULL;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int64_t v = *(const int64_t *)((const char *)e + numbers[i].offset);

		if (v >= 0)
			s = nh_arena_printf(job->a, "%s%s%s %s", s ? s : "", s ? ", " : "",
				nh_log_size(job->a, v), numbers[i].what);
	}
	if (s)
		nh_tell_evidence(job->a, f, "%s", s);
	if (e->requested >= 0 && e->reserved >= e->requested)
		nh_tell_evidence(job->a, f,
			"PyTorch holds at least as much unallocated as was asked for: it lies in pieces "
			"(fragmentation)");
}

void nh_log_tell_memory(struct nh_log_job *job, struct nh_finding *f, const struct nh_log_event *e)
{
	struct nh_arena *a = job->a;

	tell_numbers(job, f, e);
	nh_log_tell_headroom(job->c, f, e, f->culprit ? f->culprit->rank : NH_UNKNOWN);
	nh_tell_remedy(a, f,
		"cap batches by their number of tokens, not of sequences: one rank's long batch is "
		"what the others have room for",
		NULL);
	nh_tell_remedy(a, f,
		"let the allocator grow one segment instead of keeping slivers. Price: PyTorch "
		"documents it as experimental, so try it on this job first",
		"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
	nh_tell_remedy(a, f,
		"save sharded (torch.distributed.checkpoint): gathering the model on rank 0 needs 2 "
		"bytes a parameter there on top of all else, 14 GB for 7 billion, 140 GB for 70 billion",
		NULL);
	nh_tell_remedy(a, f,
		"print each rank's peak memory with its steps, so that shrinking headroom is seen: the "
		"line is in ncclhang(1)",
		NULL);
}
