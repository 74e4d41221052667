#include "timeline.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void nh_timeline_say(struct nh_timeline *t, int64_t ns, const char *fmt, ...)
{
	va_list ap;

	fprintf(t->out, "[t=%.2fs] ", (double)(ns - t->t0_ns) / 1e9);
	va_start(ap, fmt);
	vfprintf(t->out, fmt, ap);
	va_end(ap);
	fputc('\n', t->out);
	fflush(t->out);
}

static const char *call_name(int op)
{
	return op == NH_OP_DESTROY ? "ncclCommDestroy" : "ncclCommAbort";
}

static const char *how_closed(int op)
{
	switch (op) {
	case NH_OP_DESTROY:
		return "a Close message, then close";
	case NH_OP_SHUTDOWN:
		return "no message, shutdown, then close";
	default:
		return "no message, only close";
	}
}

static const char *how_gone(int err)
{
	if (err == NH_BY_MESSAGE)
		return "a goodbye message";
	return err ? strerrorname_np(err) : "EOF";
}

/* The words for ev; false for those that are only counted. */
static bool describe(const struct nh_demo_event *ev, char *buf, size_t size)
{
	switch (ev->kind) {
	case NH_EV_READY:
		snprintf(buf, size, "communicator ready: pid %d, service thread %d on port %d",
			ev->pid, ev->tid, ev->port);
		return true;
	case NH_EV_CONNECTED:
		snprintf(buf, size, "connected to rank0's service thread as fd %d", ev->fd);
		return true;
	case NH_EV_HELPER:
		snprintf(buf, size, "helper is pid %d, with every descriptor of its parent",
			ev->pid);
		return true;
	case NH_EV_UNREAD:
		snprintf(buf, size, "a reply lies unread in fd %d", ev->fd);
		return true;
	case NH_EV_CALLED:
		snprintf(buf, size, "%s called", call_name(ev->op));
		return true;
	case NH_EV_CLOSED:
		snprintf(buf, size, "fd %d: %s", ev->fd, how_closed(ev->op));
		return true;
	case NH_EV_RETURNED:
		snprintf(buf, size, "%s returned", call_name(ev->op));
		return true;
	case NH_EV_ACCEPTED:
		snprintf(buf, size, "service thread accepted fd %d into slot %d: npeers = %d",
			ev->fd, ev->slot, ev->npeers);
		return true;
	case NH_EV_GONE:
		snprintf(buf, size, "service thread saw %s on fd %d in slot %d: npeers = %d",
			how_gone(ev->err), ev->fd, ev->slot, ev->npeers);
		return true;
	default:
		return false;
	}
}

void nh_timeline_event(struct nh_timeline *t, const struct nh_demo_event *ev)
{
	char text[160];

	if (describe(ev, text, sizeof(text)))
		nh_timeline_say(t, ev->ns, "rank%d: %s", ev->rank, text);
}
