/* The kernel's log: a record a read, from the oldest on, and never waiting for the next one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "collect/internal.h"
#include "know/kernel_lines.h"
#include "proc/parse.h"
#include "proc/read.h"

enum { RECORDS_MAX = 1 << 17, RECORD_MAX = 8192, TEXT_MAX = 400 };

static const char *repaired(struct nh_collector *k, const struct nh_kernel_word *w)
{
	return w->n ? nh_utf8_repair(k->a, w->s, w->n) : NULL;
}

/* The two lines of one kill tell different things of it. */
static bool is_continued(const struct nh_kernel_event *last, const struct nh_kernel_line *l)
{
	return l->kind == NH_KERNEL_OOM && last->kind == NH_KERNEL_OOM && last->pid == l->pid;
}

/* A full table loses the oldest of its kind. */
static void make_room(struct nh_collector *k, int kind)
{
	struct nh_kernel_event *oldest = NULL;
	size_t n = 0;

	nh_for(e, &k->c->kernel_events) {
		if (e->kind != kind)
			continue;
		if (!n++)
			oldest = e;
	}
	if (n < NH_KEPT_KERNEL)
		return;
	n = (size_t)(oldest - k->c->kernel_events.v);
	memmove(oldest, oldest + 1, (--k->c->kernel_events.n - n) * sizeof(*oldest));
}

static void take(struct nh_collector *k, const struct nh_kmsg *record)
{
	struct nh_kernel_event *e;
	struct nh_kernel_line l;
	size_t n = k->c->kernel_events.n;

	if (!nh_kernel_line_of(record->text.s, record->text.n, &l))
		return;
	if (n && is_continued(&k->c->kernel_events.v[n - 1], &l)) {
		/* The second one tells more to a person. */
		e = &k->c->kernel_events.v[n - 1];
	} else {
		make_room(k, l.kind);
		e = nh_case_row(k->c, kernel_event, kernel_events);
		e->kind = l.kind;
		e->at_us = record->at_us;
		e->pid = l.pid;
		e->number = l.number;
		e->comm = repaired(k, &l.comm);
		e->cgroup = repaired(k, &l.cgroup);
		e->device = repaired(k, &l.device);
	}
	e->text = nh_utf8_repair(
		k->a, record->text.s, record->text.n < TEXT_MAX ? record->text.n : TEXT_MAX);
}

void nh_read_kernel_log(struct nh_collector *k)
{
	char buf[RECORD_MAX];
	int fd;

	if (k->recorded || !nh_mark_begin(k->mark, k->self, "kernel log"))
		return;
	fd = nh_file_open(AT_FDCWD, "/dev/kmsg");
	if (fd < 0) {
		nh_gap_minor(k, "kernel log", "out-of-memory kills, errors of GPUs", -fd);
		return;
	}
	for (int i = 0; i < RECORDS_MAX; i++) {
		struct nh_kmsg record;
		ssize_t n = read(fd, buf, sizeof(buf));

		/* Overwritten meanwhile, or too long: the next read goes on behind it. */
		if (n < 0 && (errno == EPIPE || errno == EINVAL))
			continue;
		if (n <= 0)
			break;
		if (!nh_parse_kmsg(buf, (size_t)n, &record))
			take(k, &record);
	}
	close(fd);
}
