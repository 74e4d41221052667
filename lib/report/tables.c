#include "report/words.h"

#include <inttypes.h>
#include "know/wait.h"

static const char *number(struct nh_doc *d, int64_t n)
{
	return n == NH_UNKNOWN ? "" : nh_doc_cell(d, "%" PRId64, n);
}

static const char *text(struct nh_doc *d, const char *s)
{
	return s ? nh_doc_cell(d, "%s", s) : "";
}

/* "poll, fd 3 8 9, 500 ms" */
static const char *wait_words(struct nh_doc *d, const struct nh_case *c, const struct nh_thread *t)
{
	struct nh_wait w = nh_wait_decode(c->machine, t);
	const char *s = w.call;

	if (t->running)
		return "running";
	if (!s)
		s = t->nr == NH_UNKNOWN ? "unknown"
					: nh_arena_printf(d->arena, "system call %" PRId64, t->nr);
	if (w.addr)
		s = nh_arena_printf(d->arena, "%s 0x%" PRIx64, s, w.addr);
	nh_for(p, &t->waits)
		s = nh_arena_printf(
			d->arena, "%s%s %" PRId64, s, p == t->waits.v ? ", fd" : "", p->fd);
	if (w.timeout_ms != NH_UNKNOWN)
		s = w.timeout_ms < 0
			    ? nh_arena_printf(d->arena, "%s, no timeout", s)
			    : nh_arena_printf(d->arena, "%s, %" PRId64 " ms", s, w.timeout_ms);
	return nh_doc_cell(d, "%s%s%s", s, t->wchan ? " in " : "", t->wchan ? t->wchan : "");
}

static void processes(struct nh_doc *d, const struct nh_case *c, int64_t sample)
{
	static const char *const heads[] = { "pid", "parent", "S", "threads", "fds", "name",
		"command", NULL };
	struct nh_block *t;

	nh_doc_detail(d, "Processes on %s", c->host ? c->host : "this host");
	t = nh_doc_table(d, 1U << 0 | 1U << 1 | 1U << 3 | 1U << 4, heads);
	nh_for(p, &c->processes) {
		if (p->sample != sample)
			continue;

		struct nh_row *row = nh_doc_row(d, t);

		row->cells[0] = number(d, p->pid);
		row->cells[1] = number(d, p->ppid);
		row->cells[2] = text(d, p->state);
		row->cells[3] = number(d, p->nthreads);
		row->cells[4] = number(d, p->nfds);
		row->cells[5] = text(d, p->comm);
		row->cells[6] = text(d, p->cmdline);
	}
}

static void threads(struct nh_doc *d, const struct nh_case *c, int64_t sample)
{
	static const char *const heads[] = { "pid", "thread", "S", "name", "waits in", NULL };
	struct nh_block *t;

	nh_doc_detail(d, "Threads on %s", c->host ? c->host : "this host");
	t = nh_doc_table(d, 1U << 0 | 1U << 1, heads);
	nh_for(th, &c->threads) {
		if (th->sample != sample)
			continue;

		struct nh_row *row = nh_doc_row(d, t);

		row->cells[0] = number(d, th->pid);
		row->cells[1] = number(d, th->tid);
		row->cells[2] = text(d, th->state);
		row->cells[3] = text(d, th->comm);
		row->cells[4] = wait_words(d, c, th);
	}
}

void nh_words_tables(struct nh_doc *d, const struct nh_case *c)
{
	int64_t last = nh_last_sample(c);

	processes(d, c, last);
	threads(d, c, last);
}
