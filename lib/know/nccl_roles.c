#include "know/nccl_roles.h"

#include <string.h>
#include "base/str.h"
#include "know/names.h"
#include "know/nccl.h"
#include "know/teardown.h"

/* One row a line. */
/* clang-format off */
static const struct nh_nccl_role_row rows[NH_ROLES] = {
	[NH_ROLE_NONE] = { "thread", "", NULL, "", 0, NH_WAIT_UNKNOWN },
	[NH_ROLE_SERVICE] = { "proxy service thread",
		"poll of 65 (from 2.25.1: 74 or more) slots, 500 ms, a listener in the last",
		"NCCL Service", "ncclProxyService", 21200, NH_WAIT_POLL },
	[NH_ROLE_UDS] = { "proxy UDS thread", "poll of one unix socket, 500 ms", "NCCL UDS Servic",
		"ncclProxyServiceUDS", 22005, NH_WAIT_POLL },
	[NH_ROLE_PROGRESS] = { "proxy progress thread",
		"condition variable, in shared memory from 2.12 to 2.28", "NCCL Progress",
		"ncclProxyProgress persistentThread", 0, NH_WAIT_FUTEX },
	[NH_ROLE_RAS] = { "RAS thread", "poll of 3 or more slots, at most 1001 ms", "NCCL RAS",
		"rasThreadMain", 22400, NH_WAIT_POLL },
	[NH_ROLE_ROOT] = { "bootstrap root",
		"none: it ends once all ranks have checked in, so a rank is missing while it accepts",
		"NCCL BootstrapR", "bootstrapRoot", 0, NH_WAIT_UNKNOWN },
	[NH_ROLE_IB_ASYNC] = { "InfiniBand event thread", "read of [infinibandevent]",
		"NCCL IbAsync", "ncclIbAsyncThreadMain", 0, NH_WAIT_READ },
	[NH_ROLE_SOCKET_HELPER] = { "socket transport helper", "condition variable", "NCCL Sock",
		"persistentSocketThread", 0, NH_WAIT_FUTEX },
	[NH_ROLE_JOB] = { "asynchronous job", "none: it runs init, finalize or abort", NULL,
		"ncclAsyncJobMain ncclAsyncThreadMain", 0, NH_WAIT_UNKNOWN },
	[NH_ROLE_GIN] = { "GIN progress thread", "condition variable", "NCCL GIN Progre",
		"ncclGinProgress", 22807, NH_WAIT_FUTEX },
	[NH_ROLE_RMA] = { "RMA progress thread", "condition variable", "NCCL RMA Proxy",
		"ncclRmaProxyProgressThread", 22900, NH_WAIT_FUTEX },
	[NH_ROLE_GRAPH_HELPER] = { "graph helper", "condition variable", "NCCL GrHelper",
		"graphHelperFunc", 21200, NH_WAIT_FUTEX },
	[NH_ROLE_WORKER] = { "worker thread of NCCL (progress, socket, GIN or RMA)",
		"condition variable", NULL, "", 0, NH_WAIT_FUTEX },
};
/* clang-format on */

const struct nh_nccl_role_row *nh_nccl_role_row(enum nh_nccl_role role)
{
	return &rows[role > NH_ROLE_NONE && role < NH_ROLES ? role : NH_ROLE_NONE];
}

/* The outermost function that is one of a role: a service thread may call into progress code. */
static enum nh_nccl_role by_function(const struct nh_stack *s)
{
	for (size_t i = s ? s->frames.n : 0; i-- > 0;) {
		const struct nh_frame *f = &s->frames.v[i];
		char base[256];

		if (!f->func || f->nearest)
			continue;
		nh_frame_base(f, base, sizeof(base));
		for (int r = NH_ROLE_NONE + 1; r < NH_ROLES; r++)
			if (nh_has_word(rows[r].functions, base))
				return (enum nh_nccl_role)r;
	}
	return NH_ROLE_NONE;
}

static enum nh_nccl_role by_name(const char *comm)
{
	for (int r = NH_ROLE_NONE + 1; comm && r < NH_ROLES; r++)
		if (rows[r].comm && nh_starts_with(comm, rows[r].comm))
			return (enum nh_nccl_role)r;
	return NH_ROLE_NONE;
}

static enum nh_nccl_role by_poll(const struct nh_role_clues *c)
{
	const struct nh_wait *w = c->wait;

	if (nh_nccl_service_shape(w) && c->last_listens)
		return NH_ROLE_SERVICE;
	if (w->nfds == 1 && w->timeout_ms == 500 && c->first_unix)
		return NH_ROLE_UDS;
	/* CUDA and others poll in such ways too. */
	if (c->in_nccl && w->nfds >= 3 && w->timeout_ms >= 1 && w->timeout_ms <= 1001 &&
		!nh_nccl_service_shape(w))
		return NH_ROLE_RAS;
	return NH_ROLE_NONE;
}

static enum nh_nccl_role by_wait(const struct nh_role_clues *c)
{
	const struct nh_wait *w = c->wait;

	if (w->kind == NH_WAIT_POLL)
		return by_poll(c);
	if (!c->in_nccl)
		return NH_ROLE_NONE;
	if (w->kind == NH_WAIT_ACCEPT)
		return NH_ROLE_ROOT;
	if (w->kind == NH_WAIT_READ && c->fd_path && strstr(c->fd_path, "[infinibandevent]"))
		return NH_ROLE_IB_ASYNC;
	if (w->kind != NH_WAIT_FUTEX || c->joins)
		return NH_ROLE_NONE;
	/* A condition variable shared between processes is the progress thread's alone; a private
	 * one is that of several. */
	return nh_futex_is_join_form(w->futex_op) ? NH_ROLE_PROGRESS : NH_ROLE_WORKER;
}

enum nh_nccl_role nh_nccl_role_of(const struct nh_role_clues *c)
{
	enum nh_nccl_role r = by_function(c->stack);

	if (r == NH_ROLE_NONE)
		r = by_name(c->comm);
	return r != NH_ROLE_NONE ? r : by_wait(c);
}

bool nh_nccl_role_is_idle(enum nh_nccl_role role, const struct nh_wait *w)
{
	enum nh_wait_kind kind = nh_nccl_role_row(role)->waits;

	if (kind == NH_WAIT_UNKNOWN || kind != w->kind)
		return false;
	if (role == NH_ROLE_SERVICE)
		return nh_nccl_service_shape(w);
	if (role == NH_ROLE_UDS)
		return w->nfds == 1 && w->timeout_ms == 500;
	return kind != NH_WAIT_POLL || (w->timeout_ms >= 1 && w->timeout_ms <= 1001);
}
