#include <inttypes.h>
#include "graph/silhouette.h"
#include "graph/words.h"
#include "base/str.h"
#include "report/words.h"
#include "tui/screens.h"

#define FDS_SHOWN 400

const struct nh_thread_row *nh_thread_row_of(const struct nh_look *look, const struct nh_thread *t)
{
	nh_for(r, &look->threads)
		if (r->t == t)
			return r;
	return NULL;
}

static const struct nh_graph *graph_of(const struct nh_tui *t, struct nh_ref ref)
{
	return &t->look->graphs[ref.host];
}

/* A line that leads on to another node. */
static void lead(struct nh_lines *l, const char *before, struct nh_ref ref)
{
	if (ref.node.row)
		nh_line_add(l, NH_TONE_PLAIN, "  %s%s", before, nh_name_node(l->a, ref.node))->ref =
			ref;
}

static void edges(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_graph *g = graph_of(t, ref);
	bool any = false;
	size_t n;

	for (int kind = 0; kind < NH_EDGE_KINDS; kind++) {
		const struct nh_edge *e = nh_graph_out(g, ref.node, (enum nh_edge_kind)kind, &n);

		for (size_t i = 0; i < n; i++) {
			if (!any)
				nh_line_heading(l, "Waits for, leads to");
			any = true;
			lead(l, nh_arena_printf(l->a, "%s ", nh_edge_name(e->kind)),
				(struct nh_ref){ ref.host, e[i].to });
			nh_line_flow(l, NH_TONE_DIM, "      ", nh_edge_fact(l->a, g, &e[i]));
		}
	}
}

static const char *fd_words(struct nh_lines *l, const struct nh_graph *g, const struct nh_fd *fd)
{
	static const char *const kinds[] = { "", "socket", "pipe", "file", "anonymous", "other",
		"closed", "FIFO" };
	const struct nh_socket *s = fd->inode > 0 ? nh_index_socket(&g->ix, fd->inode) : NULL;
	const char *kind = fd->kind > 0 && fd->kind <= NH_FD_OPENING ? kinds[fd->kind] : "";

	if (s)
		return nh_name_socket(l->a, s);
	if (fd->inode > 0)
		return nh_arena_printf(l->a, "%s, inode %" PRId64 "%s%s", kind, fd->inode,
			fd->mode ? ", " : "", fd->mode ? fd->mode : "");
	return nh_arena_printf(l->a, "%s %s", kind, fd->path ? fd->path : "");
}

static void fd_line(struct nh_lines *l, struct nh_ref ref, const struct nh_graph *g,
	const char *before, const struct nh_fd *fd)
{
	const struct nh_socket *s = fd->inode > 0 ? nh_index_socket(&g->ix, fd->inode) : NULL;

	nh_line_add(l, NH_TONE_PLAIN, "  %s%4" PRId64 "  %s", before, fd->fd, fd_words(l, g, fd))
		->ref = (struct nh_ref){ ref.host, { NH_NODE_SOCKET, s } };
}

static void fds(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref, int64_t pid)
{
	const struct nh_graph *g = graph_of(t, ref);
	size_t n = 0;

	nh_for(p, &g->ix.fds) {
		if ((*p)->pid != pid)
			continue;
		if (!n++)
			nh_line_heading(l, "Descriptors");
		if (n <= FDS_SHOWN)
			fd_line(l, ref, g, "", *p);
	}
	if (n > FDS_SHOWN)
		nh_line_add(l, NH_TONE_DIM, "  and %zu more", n - FDS_SHOWN);
}

/* What a thread waits on, descriptor by descriptor. */
static void waits(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_thread *th = ref.node.row;
	const struct nh_graph *g = graph_of(t, ref);

	if (th->waits.n)
		nh_line_heading(l, "Descriptors it waits on");
	nh_for(w, &th->waits) {
		const struct nh_fd *fd = nh_index_fd(&g->ix, th, w->fd);
		const char *slot = nh_arena_printf(l->a, "slot %-4" PRId64 "fd ", w->slot);

		if (w - th->waits.v >= FDS_SHOWN)
			break;
		if (fd)
			fd_line(l, ref, g, slot, fd);
		else
			nh_line_add(l, NH_TONE_DIM, "  %s%4" PRId64 "  not read", slot, w->fd);
	}
}

static void stack(const struct nh_tui *t, struct nh_lines *l, const struct nh_thread_row *row)
{
	const struct nh_stack *s = nh_stack_of(&t->look->graphs[row->ref.host], row->t);

	nh_line_heading(l, "Stack");
	if (!s) {
		nh_line_flow(l, NH_TONE_DIM,
			"  none: ", row->t->no_stack ? row->t->no_stack : "it was not taken");
		return;
	}
	for (size_t i = 0; i < s->frames.n; i++)
		nh_line_add(l, NH_TONE_PLAIN, "  %s", nh_frame_words(l->a, i, &s->frames.v[i]));
	if (!s->complete)
		nh_line_flow(l, NH_TONE_WARN, "  the stack goes on: ",
			s->why ? s->why : "why the unwinding ended is not known");
	if (s->python)
		nh_line_flow(l, NH_TONE_DIM, "  ", s->python);
}

/* A row of the table of both samples. */
static void both(struct nh_lines *l, const char *what, const char *then, const char *now)
{
	nh_line_add(l, nh_streq(then, now) ? NH_TONE_PLAIN : NH_TONE_WARN, "  %-13s %-30s %s", what,
		then ? then : "-", now ? now : "-");
}

static const char *number(struct nh_lines *l, int64_t n)
{
	return n == NH_UNKNOWN ? NULL : nh_arena_printf(l->a, "%" PRId64, n);
}

static const char *wait_of(struct nh_lines *l, const struct nh_graph *g, const struct nh_thread *t)
{
	struct nh_wait w = nh_graph_wait(g, t);

	return t->running ? "running" : nh_wait_words(l->a, &w);
}

static void samples(struct nh_lines *l, const struct nh_graph *g, const struct nh_thread *a,
	const struct nh_thread *b)
{
	nh_line_heading(l, "Both samples");
	both(l, "state", a->state, b->state);
	both(l, "call", wait_of(l, g, a), wait_of(l, g, b));
	both(l, "kernel", a->wchan, b->wchan);
	both(l, "switches", number(l, a->vcsw), number(l, b->vcsw));
	both(l, "preempted", number(l, a->nvcsw), number(l, b->nvcsw));
	both(l, "user ticks", number(l, a->utime), number(l, b->utime));
	both(l, "system ticks", number(l, a->stime), number(l, b->stime));
}

static void thread(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_thread *th = ref.node.row, *then = nh_look_earlier(t->look, ref);
	const struct nh_graph *g = graph_of(t, ref);
	const struct nh_thread_row *row = nh_thread_row_of(t->look, th);

	nh_line_def(l, "does", nh_state_words(l->a, &g->ix, th));
	nh_line_def(l, "in the kernel", th->wchan);
	nh_line_def(l, "role", row && *row->role ? row->role : NULL);
	nh_line_def(l, "stands", row ? row->stand : NULL);
	lead(l, "process       ",
		(struct nh_ref){
			ref.host, { NH_NODE_PROCESS, nh_index_process(&g->ix, th->pid) } });
	edges(t, l, ref);
	waits(t, l, ref);
	if (row)
		stack(t, l, row);
	if (then)
		samples(l, g, then, th);
}

static void process(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_process *p = ref.node.row, *then = nh_look_earlier(t->look, ref);
	const struct nh_graph *g = graph_of(t, ref);
	size_t n;
	const struct nh_thread *const *threads = nh_index_threads(&g->ix, p->pid, &n);
	const struct nh_process *parent = nh_index_process(&g->ix, p->ppid);

	nh_line_def(l, "state", p->state);
	nh_line_def(l, "command", p->cmdline);
	nh_line_def(l, "program",
		p->exe_deleted && p->exe ? nh_arena_printf(l->a, "%s (deleted)", p->exe) : p->exe);
	nh_line_def(l, "cgroup", p->cgroup);
	nh_line_def_int(l, "user", p->uid);
	nh_line_def_int(l, "traced by", p->tracer ? p->tracer : NH_UNKNOWN);
	lead(l, "parent        ", (struct nh_ref){ ref.host, { NH_NODE_PROCESS, parent } });
	if (n)
		nh_line_heading(l, "Threads");
	for (size_t i = 0; i < n; i++) {
		struct nh_ref thread_ref = { ref.host, { NH_NODE_THREAD, threads[i] } };

		nh_line_add(l, NH_TONE_PLAIN, "  %8" PRId64 " %s %-15s %s", threads[i]->tid,
			threads[i]->state ? threads[i]->state : "?",
			threads[i]->comm ? threads[i]->comm : "?",
			nh_state_words(l->a, &g->ix, threads[i]))
			->ref = thread_ref;
	}
	if (then) {
		nh_line_heading(l, "Both samples");
		both(l, "state", then->state, p->state);
		both(l, "threads", number(l, then->nthreads), number(l, p->nthreads));
		both(l, "descriptors", number(l, then->nfds), number(l, p->nfds));
		both(l, "traced by", number(l, then->tracer), number(l, p->tracer));
	}
	fds(t, l, ref, p->pid);
	if (p->env.n)
		nh_line_heading(l, "Environment");
	nh_for(e, &p->env)
		nh_line_flow(l, NH_TONE_PLAIN, "  ", *e);
}

static const char *tcp_state(const struct nh_socket *s)
{
	return s->state > 0 && s->state <= NH_TCP_NEW_SYN_RECV ? nh_tcp_state_names[s->state]
							       : NULL;
}

static void socket(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_socket *s = ref.node.row, *then = nh_look_earlier(t->look, ref);

	nh_line_def(l, "local", s->local);
	nh_line_def(l, "remote", s->remote);
	nh_line_def(l, "state", tcp_state(s));
	nh_line_def_int(l, "unread bytes", s->rx_queue);
	nh_line_def_int(l, "unsent bytes", s->tx_queue);
	nh_line_def_int(l, "namespace", s->netns);
	edges(t, l, ref);
	if (!then)
		return;
	nh_line_heading(l, "Both samples");
	both(l, "state", tcp_state(then), tcp_state(s));
	both(l, "unread bytes", number(l, then->rx_queue), number(l, s->rx_queue));
	both(l, "unsent bytes", number(l, then->tx_queue), number(l, s->tx_queue));
}

/* A pipe, an eventfd …, by the first descriptor seen of it. */
static void object(const struct nh_tui *t, struct nh_lines *l, struct nh_ref ref)
{
	const struct nh_fd *fd = ref.node.row, *then = nh_look_earlier(t->look, ref);

	nh_line_def(l, "path", fd->path);
	nh_line_def_int(l, "counter", fd->count);
	nh_line_def_int(l, "expires in ms", fd->timer_ms);
	edges(t, l, ref);
	if (!then || then->count == NH_UNKNOWN)
		return;
	nh_line_heading(l, "Both samples");
	both(l, "counter", number(l, then->count), number(l, fd->count));
}

static void build(const struct nh_tui *t, struct nh_lines *l)
{
	struct nh_ref ref;

	if (!t->look || !t->ntrail)
		return;
	ref = t->trail[t->ntrail - 1];
	nh_line_heading(l, nh_name_node(l->a, ref.node));
	switch (ref.node.kind) {
	case NH_NODE_THREAD:
		thread(t, l, ref);
		break;
	case NH_NODE_PROCESS:
		process(t, l, ref);
		break;
	case NH_NODE_SOCKET:
		socket(t, l, ref);
		break;
	case NH_NODE_OBJECT:
		object(t, l, ref);
		break;
	case NH_NODE_REMOTE:
		break;
	}
}

const struct nh_screen_ops nh_screen_detail = {
	.title = "Detail",
	.keys = "up down select or scroll  Enter follow  Esc back  y copy  ? help  q quit",
	.build = build,
};
