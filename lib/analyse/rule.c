#include "analyse/rule.h"

#include <stdarg.h>
#include <stdlib.h>
#include "base/str.h"

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
	nh_for(e, &p->env)
		if (nh_starts_with(*e, "RANK="))
			return strtoll(*e + 5, NULL, 10);
	return NH_UNKNOWN;
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
