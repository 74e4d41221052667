#include "rules/kernel_log.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "rules/gpu.h"
#include "rules/kernel_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"
#include "know/kernel_lines.h"

const char *nh_kernel_when(struct nh_arena *a, const struct nh_case *c, int64_t at_us)
{
	double s = ((double)c->uptime_ms * 1000 - (double)at_us) / 1e6;

	if (c->uptime_ms == NH_UNKNOWN || at_us < 0 || s < 0)
		return "time unknown";
	return s >= 120 ? nh_arena_printf(a, "%.0f min before this was taken", s / 60)
			: nh_arena_printf(a, "%.1f s before this was taken", s);
}

bool nh_kernel_is_older(const struct nh_case *c, const struct nh_process *p, int64_t at_us)
{
	int64_t hz = c->ticks_per_s > 0 ? c->ticks_per_s : 100;

	/* A clock tick's play. */
	return p->start != NH_UNKNOWN && at_us >= 0 && p->start - 1 <= at_us / (1000000 / hz);
}

const struct nh_process *nh_kernel_process(
	const struct nh_graph *g, const struct nh_kernel_event *e)
{
	const struct nh_process *p = e->pid > 0 ? nh_index_process(&g->ix, e->pid) : NULL;

	if (!p || p->why == NH_WHY_ANCESTOR || !nh_kernel_is_older(g->ix.c, p, e->at_us))
		return NULL;
	return p;
}

static bool involves(const struct nh_finding *f, int64_t pid)
{
	if (f->culprit && f->culprit->pid == pid)
		return true;
	nh_for(v, &f->victims)
		if (v->pid == pid)
			return true;
	return false;
}

static void tell_line(struct nh_arena *a, const struct nh_case *c, struct nh_finding *f,
	const struct nh_kernel_event *e, const char *means)
{
	nh_tell_evidence(a, f, "the kernel's log, %s: %s%s%s", nh_kernel_when(a, c, e->at_us),
		e->text, means ? "; " : "", means ? means : "");
}

/* Whether a call of the case works on a file system of that server, "NAME:/export". */
static bool is_source(const char *source, const char *server)
{
	size_t n = server ? strlen(server) : 0;

	return n && source && !strncmp(source, server, n) && source[n] == ':';
}

static bool is_mounted_from(const struct nh_case *c, const char *server)
{
	nh_for(t, &c->threads)
		if (is_source(t->source, server))
			return true;
	nh_for(fd, &c->fds)
		if (is_source(fd->source, server))
			return true;
	return false;
}

static bool concerns(const struct nh_case *c, const struct nh_finding *f,
	const struct nh_kernel_event *e, const struct nh_process *p)
{
	switch (e->kind) {
	case NH_KERNEL_HUNG:
		return p && involves(f, p->pid);
	case NH_KERNEL_XID:
		if (p)
			return involves(f, p->pid);
		return e->pid < 0 && nh_xid_words(e->number) && !strcmp(f->id, "driver-stall");
	case NH_KERNEL_NO_ANSWER:
	case NH_KERNEL_ANSWERS:
		return !strcmp(f->id, "filesystem-stall") && is_mounted_from(c, e->device);
	default:
		return false;
	}
}

/* "0000:3b:00" of the log and "00000000:3B:00.0" of the driver's library. */
static bool same_device(const char *log, const char *gpu)
{
	char *bus, *gpu_bus;

	if (!log || !gpu || strtoul(log, &bus, 16) != strtoul(gpu, &gpu_bus, 16))
		return false;
	return *bus == ':' && !strncasecmp(bus, gpu_bus, strcspn(bus, "."));
}

/* Where the line names no process: who computes on that GPU, as the driver lists it. */
static const struct nh_process *user_of(const struct nh_graph *g, const struct nh_kernel_event *e)
{
	const struct nh_case *c = g->ix.c;

	nh_for(gpu, &c->gpus) {
		struct nh_gpu_users users;

		if (!same_device(e->device, gpu->pci))
			continue;
		nh_gpu_users_of(c->arena, c, gpu, &users);
		nh_for(u, &users)
			if (u->driver && nh_kernel_is_older(c, u->p, e->at_us))
				return u->p;
	}
	return NULL;
}

/* A live process of the job to which an Xid happened that ends its work, and that does not go on.
 */
static const struct nh_thread *hit_by(const struct nh_graph *g, const struct nh_kernel_event *e)
{
	const struct nh_process *p = e->pid > 0 ? nh_kernel_process(g, e) : user_of(g, e);
	const struct nh_thread *t = p ? nh_index_thread(&g->ix, p->pid, p->pid) : NULL;

	if (e->kind != NH_KERNEL_XID || !nh_xid_words(e->number) || !t || nh_streq(t->state, "Z"))
		return NULL;
	return t->running || nh_stay_of(g, t) == NH_STAYS ? t : NULL;
}

static bool told(const struct nh_case *c, int64_t pid)
{
	nh_for(f, &c->verdict.findings)
		if (!strcmp(f->id, "driver-stall") && f->culprit && f->culprit->pid == pid)
			return true;
	return false;
}

static void convict(struct nh_case *c, const struct nh_graph *g, const struct nh_kernel_event *e,
	const struct nh_thread *t)
{
	struct nh_arena *a = c->arena;
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);
	struct nh_finding *f =
		nh_row_push(a, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

	f->id = "driver-stall";
	f->confidence = NH_LIKELY;
	f->title = nh_arena_printf(a, "Xid %jd of the GPU at %s hit %s: %s", (intmax_t)e->number,
		e->device ? e->device : "an unknown address", nh_name_process(a, p),
		nh_xid_words(e->number));
	nh_tell_culprit(a, f, g, p, NULL);
	nh_tell_victim(a, f, g, t);
	nh_tell_dependants(a, f, g, p);
	nh_tell_evidence(a, f, "%s: %s", nh_name_thread(a, t), nh_state_words(a, &g->ix, t));
	nh_tell_unknown(a, f, "whether what it waits in now is the work that the error ended");
	*nh_push(a, &f->refutes) = "its main thread goes on";
	nh_tell_save(a, f, p->pid);
	nh_tell_remedy(a, f,
		"look the number up in NVIDIA's list of Xid errors: it tells whether the program, the "
		"driver or the hardware is at fault",
		"dmesg -T | grep -i xid");
	nh_tell_remedy(a, f,
		"take the GPU out of the job; reset it or reboot the host. Price: all that runs there",
		NULL);
}

void nh_kernel_log_analyse(struct nh_case *c, const struct nh_graph *g)
{
	nh_for(e, &c->kernel_events) {
		const struct nh_thread *t = hit_by(g, e);

		if (t && !told(c, t->pid))
			convict(c, g, e, t);
	}
	nh_for(e, &c->kernel_events) {
		const struct nh_process *p = nh_kernel_process(g, e);

		nh_for(f, &c->verdict.findings)
			if (concerns(c, f, e, p))
				tell_line(c->arena, c, f, e,
					e->kind == NH_KERNEL_XID ? nh_xid_words(e->number) : NULL);
	}
}
