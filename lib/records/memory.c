#include "rules/kernel_log.h"

#include <string.h>
#include "rules/kernel_wait.h"
#include "records/log_job.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

enum { KILL = 9, SHOWN = 4 };

/* One kill; the event or the process may be missing, not both. */
struct kill {
	const struct nh_kernel_event *event;
	const struct nh_process *process; /* a zombie */
	const struct nh_cgroup *group;	  /* whose memory it was */
};

static bool is_memory_of(const struct nh_process *p, const struct nh_cgroup *group)
{
	return (group->hierarchy == NH_CGROUP_MEMORY && nh_streq(p->cgroup_memory, group->path)) ||
	       (group->hierarchy == NH_CGROUP_V2 && nh_streq(p->cgroup, group->path));
}

static const struct nh_cgroup *group_at(const struct nh_graph *g, const char *path)
{
	nh_for(row, &g->ix.c->cgroups)
		if (row->sample == g->ix.sample && row->hierarchy != NH_CGROUP_FREEZER && path &&
			nh_streq(row->path, path))
			return row;
	return NULL;
}

/* A memory group of the job, other than the root's, in which somebody was killed. */
static const struct nh_cgroup *group_with_kills(const struct nh_graph *g)
{
	nh_for(p, &g->ix.processes) {
		if ((*p)->why == NH_WHY_ANCESTOR)
			continue;
		nh_for(row, &g->ix.c->cgroups)
			if (row->sample == g->ix.sample && row->oom_kills > 0 &&
				!nh_streq(row->path, "/") && is_memory_of(*p, row))
				return row;
	}
	return NULL;
}

/* Whether a live process of the job is in that group and was so before the event. */
static bool is_of_job(const struct nh_graph *g, const struct nh_kernel_event *e)
{
	if (!e->cgroup || nh_streq(e->cgroup, "/"))
		return false;
	nh_for(p, &g->ix.processes)
		if ((*p)->why != NH_WHY_ANCESTOR && (*p)->why != NH_WHY_HOLDER &&
			(nh_streq((*p)->cgroup_memory, e->cgroup) ||
				nh_streq((*p)->cgroup, e->cgroup)) &&
			nh_kernel_is_older(g->ix.c, *p, e->at_us))
			return true;
	return false;
}

/* Waits without bound, and has not moved. */
static bool is_held_up(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	struct nh_wait w = nh_graph_wait(g, t);

	if (!p || p->why == NH_WHY_ANCESTOR || p->why == NH_WHY_HOLDER || t->running)
		return false;
	if (w.kind == NH_WAIT_FUTEX || w.kind == NH_WAIT_POLL || w.kind == NH_WAIT_SELECT ||
		w.kind == NH_WAIT_EPOLL)
		return w.timeout_ms == -1 && nh_stay_of(g, t) == NH_STAYS;
	return (w.kind == NH_WAIT_READ || w.kind == NH_WAIT_WRITE || w.kind == NH_WAIT_CHILD) &&
	       nh_stay_of(g, t) == NH_STAYS;
}

static bool anybody_held_up(const struct nh_graph *g)
{
	nh_for(t, &g->ix.threads)
		if ((*t)->tid == (*t)->pid && is_held_up(g, *t))
			return true;
	return false;
}

/* By the log, the first first. */
static const struct kill *find_kills(struct nh_arena *a, const struct nh_graph *g, size_t *n)
{
	NH_VEC(struct kill) all = { 0 };
	const struct nh_cgroup *counted = group_with_kills(g);
	bool waits = anybody_held_up(g);

	nh_for(e, &g->ix.c->kernel_events) {
		const struct nh_process *p = nh_kernel_process(g, e);

		if (e->kind != NH_KERNEL_OOM || (p && !nh_streq(p->state, "Z") && !p->killed))
			continue;
		if (p || (waits && is_of_job(g, e)))
			*nh_push(a, &all) = (struct kill){ e, p, group_at(g, e->cgroup) };
	}
	nh_for(p, &g->ix.processes)
		if (!all.n && counted && (*p)->why != NH_WHY_ANCESTOR &&
			nh_streq((*p)->state, "Z") && (*p)->exit_code != NH_UNKNOWN &&
			((*p)->exit_code & 0x7f) == KILL)
			*nh_push(a, &all) = (struct kill){ NULL, *p, counted };
	*n = all.n;
	return all.v;
}

static const char *who_words(struct nh_arena *a, const struct kill *k)
{
	if (k->process)
		return nh_name_process(a, k->process);
	/* It is one or the other. */
	return k->event ? nh_arena_printf(a, "pid %jd (%s)", (intmax_t)k->event->pid,
				  k->event->comm ? k->event->comm : "?")
			: "a process";
}

static void tell_group(struct nh_arena *a, struct nh_finding *f, const struct nh_cgroup *group)
{
	if (!group)
		return;
	nh_tell_evidence(a, f,
		"control group %s: %jd process%s killed in it for want of memory; limit %s, "
		"in use %s",
		group->path, (intmax_t)group->oom_kills, group->oom_kills == 1 ? "" : "es",
		group->limit < 0 ? "none of its own" : nh_log_size(a, group->limit),
		group->usage < 0 ? "unknown" : nh_log_size(a, group->usage));
}

static void tell_kill(
	struct nh_arena *a, const struct nh_graph *g, struct nh_finding *f, const struct kill *k)
{
	if (k->event)
		nh_tell_evidence(a, f, "the kernel's log, %s: %s",
			nh_kernel_when(a, g->ix.c, k->event->at_us), k->event->text);
	if (k->process && k->process->exit_code != NH_UNKNOWN)
		nh_tell_evidence(a, f, "pid %jd is a zombie, ended by signal %jd",
			(intmax_t)k->process->pid, (intmax_t)(k->process->exit_code & 0x7f));
}

static void blame(
	struct nh_arena *a, const struct nh_graph *g, struct nh_finding *f, const struct kill *k)
{
	if (k->process)
		nh_tell_culprit(a, f, g, k->process, NULL);
	if (k->process || !k->event)
		return;
	f->culprit = nh_new(a, struct nh_actor, 1);
	*f->culprit = (struct nh_actor){ .host = g->ix.c->host,
		.pid = k->event->pid,
		.start = NH_UNKNOWN,
		.tid = NH_UNKNOWN,
		.rank = NH_UNKNOWN,
		.fd = NH_UNKNOWN,
		.comm = k->event->comm };
}

/* That they wait for the dead one is concluded: it cannot be seen any more what it held. */
static void tell_victims(
	struct nh_arena *a, const struct nh_graph *g, struct nh_finding *f, const struct kill *k)
{
	size_t n = 0;

	if (k->process)
		nh_tell_dependants(a, f, g, k->process);
	nh_for(t, &g->ix.threads) {
		bool known = false;

		nh_for(v, &f->victims)
			known |= v->tid == (*t)->tid;
		if (known || (*t)->tid != (*t)->pid || !is_held_up(g, *t))
			continue;
		if (n++ < SHOWN)
			*nh_push(a, &f->chain) = (struct nh_link){ nh_name_thread(a, *t),
				who_words(a, k), "waits since, perhaps for",
				nh_arena_printf(a, "%s, without bound and without moving",
					nh_state_words(a, &g->ix, *t)),
				true };
		nh_tell_victim(a, f, g, *t);
	}
}

static bool is_of_same(const struct nh_finding *f, const struct nh_finding *o)
{
	if (strcmp(o->id, "dead-peer") != 0 && strcmp(o->id, f->id) != 0)
		return false;
	return o->culprit && o->culprit->pid == f->culprit->pid &&
	       (!o->culprit->host || nh_streq(o->culprit->host, f->culprit->host));
}

static void move_rows(struct nh_arena *a, struct nh_finding *to, const struct nh_finding *from)
{
	nh_tell_evidence(a, to, "also seen as %s (%s): %s", from->id,
		nh_confidence_names[from->confidence], from->title);
	if (to->culprit->rank == NH_UNKNOWN)
		to->culprit->rank = from->culprit->rank;
	nh_for(v, &from->victims)
		*nh_push(a, &to->victims) = *v;
	nh_for(l, &from->chain)
		*nh_push(a, &to->chain) = *l;
	nh_for(e, &from->evidence)
		*nh_push(a, &to->evidence) = *e;
}

/* What was told of the dead process before, by logs or by what is left of it, is a part of f. */
static void absorb(struct nh_arena *a, struct nh_verdict *v, struct nh_finding *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->findings.n; i++) {
		if (is_of_same(f, &v->findings.v[i]))
			move_rows(a, f, &v->findings.v[i]);
		else
			v->findings.v[kept++] = v->findings.v[i];
	}
	v->findings.n = kept;
}

/* Each is taken from the front, and put back behind the others. */
void nh_memory_fold(struct nh_arena *a, struct nh_verdict *v)
{
	for (size_t todo = v->findings.n; todo; todo--) {
		struct nh_finding f = v->findings.v[0];

		memmove(v->findings.v, v->findings.v + 1, --v->findings.n * sizeof(f));
		/* Only who saw the process knows its name: logs do not. */
		if (!strcmp(f.id, "out-of-memory") && f.culprit && f.culprit->comm)
			absorb(a, v, &f);
		*nh_push(a, &v->findings) = f;
	}
}

static void tell_remedies(struct nh_arena *a, struct nh_finding *f, const struct nh_cgroup *group)
{
	nh_tell_remedy(a, f, "see what used the memory when it was killed. Price: none",
		"dmesg -T | grep -i -B 40 'killed process'");
	nh_tell_remedy(a, f,
		group && group->limit > 0
			? "give the control group (the container, the job's allocation) more memory, or "
			  "use less: fewer DataLoader workers, smaller prefetch, no copy a worker"
			: "use less memory of the host: fewer DataLoader workers, smaller prefetch, no copy "
			  "a worker",
		NULL);
	nh_tell_remedy(a, f,
		"end what is left of the job: nobody brings the dead process back. Price: the job",
		NULL);
}

void nh_memory_analyse(struct nh_case *c, const struct nh_graph *g)
{
	struct nh_arena *a = c->arena;
	struct nh_finding made, *f = &made;
	size_t n;
	const struct kill *kills = find_kills(a, g, &n);
	const struct nh_cgroup *group;

	if (!n)
		return;
	group = kills->group ? kills->group : group_with_kills(g);
	memset(&made, 0, sizeof(made));
	nh_row_init(&nh_finding_type, f);
	f->id = "out-of-memory";
	f->confidence = kills->event && kills->process ? NH_CONFIRMED : NH_LIKELY;
	blame(a, g, f, kills);
	f->title = nh_arena_printf(a, "%s was killed by the kernel for want of memory%s",
		who_words(a, kills),
		group && group->limit > 0 ? nh_arena_printf(a, " (limit %s of control group %s)",
						    nh_log_size(a, group->limit), group->path)
					  : "");
	for (size_t i = 0; i < n && i < SHOWN; i++)
		tell_kill(a, g, f, &kills[i]);
	tell_group(a, f, group);
	tell_victims(a, g, f, kills);
	nh_for(l, &f->chain)
		if (l->inferred)
			f->confidence = NH_LIKELY;
	if (!kills->event)
		nh_tell_unknown(a, f,
			"that it was the kernel: a signal ended it, and its group counts such kills");
	if (!kills->process)
		nh_tell_unknown(a, f,
			"that it was of this job: it was in the control group of its processes");
	*nh_push(a, &f->refutes) = "somebody else sent the signal (the launcher, an operator)";
	tell_remedies(a, f, group);
	absorb(a, &c->verdict, f);
	*nh_push(a, &c->verdict.findings) = made;
}
