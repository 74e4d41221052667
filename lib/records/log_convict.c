#include "records/log_job.h"

#include <string.h>
#include "records/flight_tell.h"
#include "rules/rule.h"

/* Lines told of each kind. */
enum { LINES_SHOWN = 4 };

static const char *rank_words(struct nh_arena *a, int64_t rank)
{
	return rank == NH_UNKNOWN ? "a rank that its log does not name"
				  : nh_arena_printf(a, "rank %jd", (intmax_t)rank);
}

/* "2/stderr.log:71: RuntimeError: …": the directory tells ranks apart, those above it do not. */
static const char *line_words(struct nh_arena *a, const struct nh_log_event *e)
{
	const char *s = e->source ? e->source : "?", *from = s + strlen(s);

	for (int slashes = 0; from > s && slashes < 2; from -= slashes < 2)
		slashes += from[-1] == '/';
	return nh_arena_printf(a, "%s:%jd: %s", from, (intmax_t)e->line, e->text ? e->text : "");
}

static struct nh_finding *begin(struct nh_log_job *job, const char *id, int confidence)
{
	struct nh_finding *f =
		nh_row_push(job->a, &nh_finding_type, (struct nh_vec *)&job->c->verdict.findings);

	f->id = id;
	f->confidence = confidence;
	return f;
}

static void blame(
	struct nh_log_job *job, struct nh_finding *f, int64_t rank, const struct nh_log_event *e)
{
	f->culprit = nh_new(job->a, struct nh_actor, 1);
	*f->culprit = nh_flight_actor(rank);
	f->culprit->host = nh_log_host(job->c, rank);
	if (e) {
		f->culprit->host = e->host ? e->host : f->culprit->host;
		f->culprit->pid = e->pid;
	}
}

/* What the followers suffered: one arrow for each kind, to whom they waited for. */
static struct nh_ranks tell_followers(struct nh_log_job *job, struct nh_finding *f, const char *to)
{
	struct nh_ranks all = { 0 };

	for (int kind = 1; kind <= NH_LOG_NOTE; kind++) {
		const struct nh_log_event *first = NULL;
		struct nh_ranks ranks = { 0 };

		nh_for(r, &job->ranks)
			if (r->follow && r->follow->kind == kind && r->rank != NH_UNKNOWN &&
				!(f->culprit && f->culprit->rank == r->rank)) {
				first = first ? first : r->follow;
				nh_ranks_add(job->a, &ranks, r->rank);
				nh_ranks_add(job->a, &all, r->rank);
			}
		if (ranks.n)
			*nh_push(job->a, &f->chain) =
				(struct nh_link){ nh_ranks_words(job->a, &ranks), to,
					ranks.n == 1 ? "waits for" : "wait for",
					line_words(job->a, first), true };
	}
	for (size_t i = 0; i < all.n; i++)
		*nh_push(job->a, &f->victims) = nh_flight_actor(all.v[i]);
	return all;
}

static void tell_lines(struct nh_log_job *job, struct nh_finding *f, int kind, const char *what)
{
	size_t n = 0;

	nh_for(e, &job->c->log_events)
		if (e->kind == kind && !e->survived && n++ < LINES_SHOWN)
			nh_tell_evidence(job->a, f, "%s, %s", what, line_words(job->a, e));
}

static void tell_rest(struct nh_log_job *job, struct nh_finding *f)
{
	bool local = false, waited = false;

	tell_lines(job, f, NH_LOG_NCCL, "NCCL");
	tell_lines(job, f, NH_LOG_NOTE, "beside it");
	nh_log_tell_loss(job->c, f);
	nh_for(e, &job->c->log_events) {
		local |= e->rank == NH_UNKNOWN && (e->group_rank >= 0 || e->local_rank >= 0);
		waited |= e->kind == NH_LOG_TIMEOUT || e->kind == NH_LOG_WATCHDOG;
	}
	if (local)
		nh_tell_unknown(job->a, f,
			"whether all rank numbers are global: some come from a process group's prefix "
			"or are local to a host");
	nh_tell_unknown(job->a, f, "what logs that were not given say");
	if (waited)
		nh_tell_remedy(job->a, f,
			"the rank that reports the timeout is the one that waited; raising the timeout "
			"buys a longer hang",
			NULL);
}

static const char *ended_words(struct nh_arena *a, const struct nh_log_event *e)
{
	switch (e->kind) {
	case NH_LOG_SIGNAL:
		return nh_arena_printf(a, "was ended by signal %jd (SIG%s)", (intmax_t)e->signal,
			e->signal > 0 && e->signal < 32 ? sigabbrev_np((int)e->signal) : "?");
	case NH_LOG_EXIT:
		return nh_arena_printf(a, "exited with status %jd", (intmax_t)e->exit_code);
	case NH_LOG_WORKER:
		return "lost a DataLoader worker";
	case NH_LOG_CUDA:
		return "failed with a CUDA error";
	case NH_LOG_UNREDUCED:
		return "left parameters without a gradient (DDP)";
	default:
		return "raised an exception";
	}
}

static void tell_killed(struct nh_log_job *job, struct nh_finding *f, const struct nh_log_event *e)
{
	enum { KILL = 9 };

	if (e->signal == KILL || e->kind == NH_LOG_WORKER)
		nh_tell_remedy(job->a, f,
			"see whether the kernel ran out of memory on that host, or a limit of its "
			"cgroup or /dev/shm was hit",
			"dmesg -T | grep -i -e 'out of memory' -e 'killed process'");
	nh_tell_remedy(job->a, f,
		"mend what that rank's first error says; the errors of the others go with it",
		NULL);
	*nh_push(job->a, &f->refutes) =
		"an earlier failure of another rank, in a log that was not given";
}

static void tell_others(struct nh_log_job *job, struct nh_finding *f)
{
	for (size_t i = 1; i < job->causes.n && i <= LINES_SHOWN; i++)
		nh_tell_evidence(job->a, f, "%s %s too, %s",
			rank_words(job->a, job->causes.v[i]->rank),
			job->causes.v[i]->cause->kind == NH_LOG_OOM
				? "ran out of memory"
				: ended_words(job->a, job->causes.v[i]->cause),
			line_words(job->a, job->causes.v[i]->cause));
	if (!job->ordered)
		nh_tell_unknown(job->a, f, "which of them was first: nothing in the logs tells");
}

/* One rank failed of its own; of several, the first. */
static void tell_cause(struct nh_log_job *job)
{
	const struct nh_log_rank *r = job->causes.v[0];
	const struct nh_log_event *e = r->cause;
	bool memory = e->kind == NH_LOG_OOM, seen = memory || r->ended || job->ranks.n > 1;
	struct nh_finding *f =
		begin(job, memory ? "out-of-memory" : "dead-peer", seen ? NH_LIKELY : NH_POSSIBLE);
	const char *who = rank_words(job->a, r->rank);
	struct nh_ranks followers;

	if (job->ordered || memory)
		blame(job, f, r->rank, r->ended);
	followers = tell_followers(job, f, job->ordered || memory ? who : "whoever failed first");
	f->title = nh_arena_printf(job->a, "%s%s %s%s%s%s", job->ordered ? "" : "among others, ",
		who, memory ? "ran out of GPU memory" : ended_words(job->a, e),
		followers.n ? " first; " : "",
		followers.n ? nh_ranks_words(job->a, &followers) : "",
		followers.n ? " only followed" : "");
	nh_tell_evidence(job->a, f, "%s", line_words(job->a, e));
	if (r->ended && r->ended != e)
		nh_tell_evidence(job->a, f, "the launcher saw that it %s, %s",
			ended_words(job->a, r->ended), line_words(job->a, r->ended));
	tell_others(job, f);
	if (memory)
		nh_log_tell_memory(job, f, e);
	tell_killed(job, f, e);
	tell_rest(job, f);
}

/* Lines that name ranks which did not come: a desync report, a monitored barrier. */
static const struct nh_log_event *names_ranks(const struct nh_log_job *job)
{
	nh_for(e, &job->c->log_events)
		if (e->kind == NH_LOG_LAGGING && e->named.n && !e->survived)
			return e;
	return NULL;
}

static void tell_lagging(struct nh_log_job *job, const struct nh_log_event *e)
{
	struct nh_finding *f = begin(job, "rank-missing", NH_LIKELY);
	struct nh_ranks named = { 0 };
	const char *who;

	for (size_t i = 0; i < e->named.n; i++)
		nh_ranks_add(job->a, &named, e->named.v[i]);
	who = nh_ranks_words(job->a, &named);
	blame(job, f, named.v[0], NULL);
	tell_followers(job, f, who);
	f->title = nh_arena_printf(job->a, "%s did not come to what the others wait in", who);
	nh_tell_evidence(job->a, f, "%s", line_words(job->a, e));
	*nh_push(job->a, &f->refutes) =
		"a flight-recorder dump of that rank with the operation in it";
	tell_rest(job, f);
}

/* Somebody is gone, and no log given says who. */
static void tell_gone(struct nh_log_job *job)
{
	struct nh_finding *f = begin(job, "dead-peer", NH_LIKELY);
	const char *silent = nh_ranks_words(job->a, &job->silent);
	struct nh_ranks followers;

	if (job->silent.n == 1)
		blame(job, f, job->silent.v[0], NULL);
	followers = tell_followers(job, f, job->silent.n ? silent : "a peer that is gone");
	if (job->silent.n)
		f->title = nh_arena_printf(job->a,
			"%s lost a peer; %s wrote no error: killed, or "
			"exited without one",
			followers.n ? nh_ranks_words(job->a, &followers) : "a rank",
			job->silent.n == 1 ? silent : nh_arena_printf(job->a, "one of %s", silent));
	else
		f->title = nh_arena_printf(job->a, "%s lost a peer that no log given is of",
			followers.n ? nh_ranks_words(job->a, &followers) : "a rank");
	*nh_push(job->a, &f->refutes) = "an error of one of the silent ranks in another log";
	nh_tell_unknown(
		job->a, f, "how it ended: the launcher's own output has exit codes and signals");
	nh_tell_remedy(job->a, f,
		"look in the launcher's output for the exit code, and in the kernel's log of that host",
		"dmesg -T | grep -i -e 'out of memory' -e 'killed process'");
	tell_rest(job, f);
}

/* "ALLREDUCE, sequence 81"; NULL = no line tells. */
static const char *op_words(struct nh_log_job *job)
{
	nh_for(e, &job->c->log_events)
		if (e->kind == NH_LOG_TIMEOUT && e->seq != NH_UNKNOWN && !e->survived)
			return nh_arena_printf(job->a, "%s, sequence %jd",
				e->op ? e->op : "a collective", (intmax_t)e->seq);
	return NULL;
}

/* Only those who waited speak. */
static void tell_waited(struct nh_log_job *job, bool store)
{
	struct nh_finding *f = begin(job, store ? "store-wait" : "collective-wait", NH_LIKELY);
	const char *op = store ? "a key of the store" : op_words(job);
	struct nh_ranks who = tell_followers(
		job, f, job->silent.n ? nh_ranks_words(job->a, &job->silent) : "somebody else");

	f->title = nh_arena_printf(job->a,
		"%s waited in %s until time ran out; who never came, no "
		"log says",
		who.n ? nh_ranks_words(job->a, &who) : "a rank", op ? op : "a collective");
	nh_for(e, &job->c->log_events)
		if (e->enqueued != NH_UNKNOWN && e->completed != NH_UNKNOWN && !e->survived)
			nh_tell_evidence(job->a, f,
				"%s had enqueued operation %jd and completed %jd",
				rank_words(job->a, e->rank != NH_UNKNOWN ? e->rank : e->group_rank),
				(intmax_t)e->enqueued, (intmax_t)e->completed);
	if (job->silent.n)
		nh_tell_evidence(job->a, f, "%s reported no timeout: look there first",
			nh_ranks_words(job->a, &job->silent));
	*nh_push(job->a, &f->refutes) =
		"a flight-recorder dump in which the operation is completed";
	nh_tell_remedy(job->a, f,
		"give the flight-recorder dumps as well: they tell who never scheduled it",
		"export TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=2000 "
		"TORCH_NCCL_TRACE_BUFFER_SIZE=2000");
	tell_rest(job, f);
}

static bool followed(const struct nh_log_job *job, int kind)
{
	nh_for(r, &job->ranks)
		if (r->follow && r->follow->kind == kind)
			return true;
	return false;
}

void nh_log_convict(struct nh_log_job *job)
{
	const struct nh_log_event *named = names_ranks(job);

	if (job->causes.n)
		tell_cause(job);
	else if (named)
		tell_lagging(job, named);
	else if (followed(job, NH_LOG_PEER_GONE))
		tell_gone(job);
	else if (followed(job, NH_LOG_TIMEOUT) || followed(job, NH_LOG_WATCHDOG))
		tell_waited(job, false);
	else if (followed(job, NH_LOG_STORE))
		tell_waited(job, true);
}
