/*
 * dead-peer: a thread waits for what a process should send that has ended, and no end of file comes
 * because the reader has the write end itself; or it opens a FIFO whose other end nobody has.
 */
#include <sys/wait.h>
#include "rules/data_wait.h"
#include "rules/nccl.h"
#include "graph/words.h"
#include "base/str.h"

static bool waits_for_the_dead(const struct nh_graph *g, const struct nh_thread *t)
{
	const struct nh_process *p = nh_index_process(&g->ix, t->pid);

	return p && p->why != NH_WHY_ANCESTOR && p->why != NH_WHY_HOLDER &&
	       nh_data_writers(g, t) == NH_WRITERS_SELF && !nh_may_write_itself(g, t, false) &&
	       nh_dead_child(g, t->pid);
}

static bool is_write_end(const struct nh_graph *g, const struct nh_path *p)
{
	(void)g;
	return nh_leads_to_write_end(p);
}

static const char *end_words(struct nh_arena *a, const struct nh_process *p)
{
	int status = (int)p->exit_code;

	if (!nh_streq(p->state, "Z"))
		return "was there in the first sample and is gone in the second";
	if (p->exit_code == NH_UNKNOWN)
		return "is a zombie: it has ended, how could not be read";
	if (WIFSIGNALED(status))
		return nh_arena_printf(a, "is a zombie: signal %d ended it", WTERMSIG(status));
	return nh_arena_printf(a, "is a zombie: it ended with status %d", WEXITSTATUS(status));
}

static void tell_dead(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_process *dead = nh_dead_child(m->g, t->pid);
	const struct nh_edge *held = m->path.edge[m->path.n - 1];

	f->title = nh_arena_printf(a,
		"pid %jd waits for data that its child, %s, which has ended, will not send",
		(intmax_t)t->pid, nh_name_process(a, dead));
	nh_tell_culprit(a, f, m->g, dead, NULL);
	nh_tell_evidence(a, f, "%s, a child of pid %jd, %s", nh_name_process(a, dead),
		(intmax_t)t->pid, end_words(a, dead));
	nh_tell_evidence(a, f,
		"nobody but pid %jd has a write end of %s, and none of its threads will write: its "
		"own end keeps the end of file away",
		(intmax_t)t->pid, nh_name_node(a, held->from));
	/* Linux does not record who had it. */
	if (f->confidence > NH_LIKELY)
		f->confidence = NH_LIKELY;
	nh_tell_unknown(a, f,
		"who had the write end before, Linux does not record: that the child was to write "
		"is an inference");
	nh_tell_waiters(a, f, m->g, t);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_search(a, m, f);
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"find out what ended the child: the kernel's log for the out-of-memory killer, its "
		"own output, /dev/shm full",
		"dmesg -T | grep -i -e oom -e killed | tail; df -h /dev/shm");
	nh_tell_remedy(a, f,
		"release it now by ending the reader (checks PID and start time first). Price: what "
		"it has not saved",
		nh_kill_command(a, nh_index_process(&m->g->ix, t->pid)));
	nh_tell_remedy(a, f,
		"prevent it: read with a timeout and look whether the writer lives, or close the "
		"write end in the reader. Price: none",
		NULL);
}

/* Had somebody the other end open, or opened it meanwhile, open(2) would have returned. */
static bool nobody_there(const struct nh_graph *g, const struct nh_path *p)
{
	const struct nh_edge *opens = p->edge[p->n - 1];
	bool reads = nh_streq(opens->fd->mode, "r");
	size_t n;
	const struct nh_edge *held = nh_graph_out(g, opens->to, NH_EDGE_HELD_BY, &n);

	for (size_t i = 0; i < n; i++)
		if (!nh_streq(held[i].fd->mode, reads ? "r" : "w"))
			return false;
	return true;
}

static void tell_fifo(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	const struct nh_thread *t = m->path.start;
	const struct nh_edge *opens = m->path.edge[m->path.n - 1];
	bool reads = nh_streq(opens->fd->mode, "r");
	const char *fifo = nh_name_node(a, opens->to);

	f->title = nh_arena_printf(a, "%s opens %s to %s, and nobody has it open to %s",
		nh_name_process(a, nh_index_process(&m->g->ix, t->pid)), fifo,
		reads ? "read" : "write", reads ? "write" : "read");
	nh_tell_waiters(a, f, m->g, t);
	nh_tell_wait(a, f, m->g, t);
	nh_tell_search(a, m, f);
	nh_tell_moved(a, f, m->g, t);
	if (!nh_searched_all(m->g) && f->confidence > NH_LIKELY)
		f->confidence = NH_LIKELY;
	nh_tell_unknown(a, f, "who should have opened the other end: Linux does not record that");
	nh_tell_save(a, f, t->pid);
	nh_tell_remedy(a, f,
		"start the process that has to open the other end, or find out why it ended", NULL);
	nh_tell_remedy(a, f,
		"prevent it: open with O_NONBLOCK, or O_RDWR, and wait with a timeout. Price: none",
		NULL);
}

static const struct nh_step dead_steps[] = {
	{ NH_EDGE_READS, false, NULL, NULL, NH_EDGE_POLLS, false },
	{ NH_EDGE_PEER, false, NULL, NULL, NH_EDGE_JOINS, true },
	{ NH_EDGE_HELD_BY, false, is_write_end, NULL, NH_EDGE_JOINS, false },
};

static const struct nh_step fifo_steps[] = {
	{ NH_EDGE_OPENS, false, nobody_there, NULL, NH_EDGE_JOINS, false },
};

static const char *const dead_refutes[] = {
	"data comes after all",
	"a living process has the write end: in flight over a unix socket, for one",
	NULL,
};

static const char *const fifo_refutes[] = {
	"the program is a server whose clients come when they like: then it waits by design",
	"somebody opens the other end",
	NULL,
};

const struct nh_rule nh_rule_dead_peer = {
	.id = "dead-peer",
	.pattern = { .begin = waits_for_the_dead,
		.no_begin = "no thread waits for what a process that has ended should send",
		.steps = dead_steps,
		.nsteps = sizeof(dead_steps) / sizeof(*dead_steps) },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_dead,
	.refutes = dead_refutes,
	.covers = "pytorch/pytorch 1355, pytorch/pytorch 21554",
};

const struct nh_rule nh_rule_dead_peer_fifo = {
	.id = "dead-peer",
	.pattern = { .steps = fifo_steps, .nsteps = sizeof(fifo_steps) / sizeof(*fifo_steps) },
	.fold = NH_EDGE_KINDS,
	.ceiling = NH_CONFIRMED,
	.tell = tell_fifo,
	.refutes = fifo_refutes,
};
