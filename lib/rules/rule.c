#include "rules/rule.h"

#include <stdarg.h>
#include "graph/interpreter.h"
#include "graph/words.h"
#include "know/env.h"
#include "rules/nccl.h"

void nh_tell_evidence(struct nh_arena *a, struct nh_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*nh_push(a, &f->evidence) = nh_arena_vprintf(a, fmt, ap);
	va_end(ap);
}

void nh_tell_unknown(struct nh_arena *a, struct nh_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*nh_push(a, &f->unknown) = nh_arena_vprintf(a, fmt, ap);
	va_end(ap);
}

void nh_tell_remedy(struct nh_arena *a, struct nh_finding *f, const char *what, const char *command)
{
	*nh_push(a, &f->remedy) = (struct nh_remedy){ what, command };
}

void nh_tell_gate(struct nh_arena *a, struct nh_finding *f, const char *gate, const char *state,
	const char *fact)
{
	*nh_push(a, &f->gates) = (struct nh_gate){ gate, state, fact };
}

int64_t nh_rank_of(const struct nh_process *p)
{
	return nh_env_number(p, "RANK");
}

void nh_tell_culprit(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_process *p, const struct nh_fd *fd)
{
	f->culprit = nh_new(a, struct nh_actor, 1);
	*f->culprit = (struct nh_actor){ .host = g->ix.c->host,
		.pid = p->pid,
		.start = p->start,
		.tid = fd ? fd->tid : NH_UNKNOWN,
		.rank = nh_rank_of(p),
		.fd = fd ? fd->fd : NH_UNKNOWN,
		.comm = p->comm };
}

const char *nh_kill_command(struct nh_arena *a, const struct nh_process *p)
{
	return nh_arena_printf(a,
		"[ \"$(sed 's/.*) //' /proc/%jd/stat | cut -d' ' -f20)\" = %jd ] && kill %jd",
		(intmax_t)p->pid, (intmax_t)p->start, (intmax_t)p->pid);
}

void nh_tell_link(
	struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g, const struct nh_edge *e)
{
	*nh_push(a, &f->chain) = (struct nh_link){ nh_name_node(a, e->from), nh_name_node(a, e->to),
		nh_edge_name(e->kind), nh_edge_fact(a, g, e), e->inferred };
}

void nh_tell_victim(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	*nh_push(a, &f->victims) = (struct nh_actor){ .host = g->ix.c->host,
		.pid = t->pid,
		.start = p ? p->start : NH_UNKNOWN,
		.tid = t->tid,
		.rank = p ? nh_rank_of(p) : NH_UNKNOWN,
		.fd = NH_UNKNOWN,
		.comm = t->comm };
}

/* Of the calls whose arguments tell; a child or a signal is waited for without a timeout. */
static bool is_bounded(const struct nh_wait *w)
{
	return w->timeout_ms >= 0 || (w->kind == NH_WAIT_FUTEX && w->timeout_ms != -1);
}

void nh_tell_wait(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t)
{
	const struct nh_stack *s = nh_stack_of(g, t);
	struct nh_wait w = nh_graph_wait(g, t);

	if (s && s->frames.n)
		nh_tell_evidence(a, f, "stack of thread %jd, innermost first: %s", (intmax_t)t->tid,
			nh_stack_words(a, s, 0, s->frames.n - 1));
	if (w.kind == NH_WAIT_SLEEP)
		nh_tell_evidence(a, f,
			"thread %jd is in a sleep, which ends by itself; what it looks for need not "
			"come",
			(intmax_t)t->tid);
	else if (is_bounded(&w) && !nh_gil_wanted_by(&g->ix, t))
		nh_tell_evidence(
			a, f, "the wait of thread %jd is bounded by a timeout", (intmax_t)t->tid);
}

void nh_tell_moved(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t)
{
	if (f->confidence > NH_LIKELY && !nh_has_not_moved(g, t))
		f->confidence = NH_LIKELY;
}
