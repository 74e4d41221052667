/* Pipes, FIFOs and ends on other hosts in the graph, and who can still write to a reader. */
#include "tap.h"

#include <fcntl.h>
#include "rules/data_wait.h"
#include "graph/words.h"

enum { READ = 0, WRITE = 1, POLL = 7 }; /* x86_64 */

struct scene {
	struct nh_arena a;
	struct nh_case c;
	struct nh_graph g;
};

static void begin(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	s->c.arena = &s->a;
	s->c.machine = "x86_64";
}

static void process(struct scene *s, int64_t pid, int64_t ppid, const char *state)
{
	struct nh_process *p = nh_case_row(&s->c, process, processes);

	p->sample = 1;
	p->pid = pid;
	p->ppid = ppid;
	p->start = pid;
	p->uid = 0;
	p->nthreads = 1;
	p->why = NH_WHY_TARGET;
	p->state = state;
	p->comm = "job";
}

static void waiter(struct scene *s, int64_t pid, int64_t nr, int64_t fd)
{
	const uint64_t args[6] = { (uint64_t)fd, 1, nr == POLL ? UINT32_MAX : 0 };
	struct nh_thread *t = nh_case_row(&s->c, thread, threads);

	t->sample = 1;
	t->pid = t->tid = t->nstid = pid;
	t->nr = nr;
	t->state = "S";
	for (int i = 0; i < 6; i++)
		*nh_push(&s->a, &t->args) = args[i];
	*nh_push(&s->a, &t->waits) = (struct nh_pollfd){ 0, fd, nr == WRITE ? 4 : 1 };
}

static struct nh_fd *holds(
	struct scene *s, int64_t pid, int64_t fd, int64_t inode, const char *mode)
{
	struct nh_fd *row = nh_case_row(&s->c, fd, fds);

	row->sample = 1;
	row->pid = pid;
	row->fd = fd;
	row->kind = NH_FD_PIPE;
	row->inode = inode;
	row->mode = mode;
	row->flags = 0;
	return row;
}

static void tcp(struct scene *s, int64_t inode, const char *local, const char *remote)
{
	struct nh_socket *row = nh_case_row(&s->c, socket, sockets);

	row->sample = 1;
	row->family = NH_TCP4;
	row->state = NH_TCP_ESTABLISHED;
	row->netns = 1;
	row->inode = inode;
	row->local = local;
	row->remote = remote;
}

static const struct nh_edge *first(struct scene *s, enum nh_edge_kind kind)
{
	nh_for(e, &s->g.edges)
		if (e->kind == kind)
			return e;
	return NULL;
}

static void graph(struct scene *s)
{
	nh_graph_build(&s->a, &s->c, 1, &s->g);
}

static enum nh_writers writers(struct scene *s)
{
	graph(s);
	return nh_data_writers(&s->g, s->g.ix.threads.v[0]);
}

/* A process that reads a pipe of which it has both ends. */
static void reads_its_own(struct scene *s, int64_t nr)
{
	begin(s);
	process(s, 100, 50, "S");
	process(s, 50, 1, "S");
	process(s, 1, 0, "S");
	waiter(s, 100, nr, 3);
	holds(s, 100, 3, 7, "r");
	holds(s, 100, 4, 7, "w");
}

static void remote_ends(void)
{
	struct scene s;
	const struct nh_edge *e;

	begin(&s);
	tcp(&s, 1, "10.0.0.1:5", "10.0.0.2:4711");
	graph(&s);
	e = first(&s, NH_EDGE_REMOTE);
	ok(e && e->inferred);
	ok(!strcmp(nh_name_node(&s.a, e->to), "10.0.0.2:4711, not on this host"));
	/* Another socket here has that address: it is on this host, whoever has the other end. */
	tcp(&s, 2, "10.0.0.2:80", "10.0.0.9:1");
	tcp(&s, 3, "127.0.0.1:80", "127.0.0.1:1");
	graph(&s);
	e = first(&s, NH_EDGE_REMOTE);
	ok(e && !strcmp(e->to.row, "10.0.0.9:1"));
	nh_arena_free(&s.a);
}

static void objects(void)
{
	struct scene s;
	const struct nh_fd *pipe, *fifo;
	struct nh_fd *named;

	reads_its_own(&s, READ);
	named = holds(&s, 50, 9, 7, "w");
	named->dev = 1;
	named->path = "/tmp/fifo";
	graph(&s);
	fifo = nh_index_holders(&s.g.ix, 7, &(size_t){ 0 })[0];
	ok(fifo->dev == 1 && nh_graph_object(&s.g, fifo) == fifo);
	pipe = nh_graph_object(&s.g, nh_index_holders(&s.g.ix, 7, &(size_t){ 0 })[2]);
	ok(pipe && pipe->dev == NH_UNKNOWN && pipe->fd == 3);
	ok(!strcmp(nh_name_object(&s.a, fifo), "FIFO /tmp/fifo"));
	ok(!strcmp(nh_name_object(&s.a, pipe), "pipe 7"));
	ok(first(&s, NH_EDGE_READS)->to.row == pipe);
	nh_arena_free(&s.a);
	reads_its_own(&s, WRITE);
	graph(&s);
	ok(first(&s, NH_EDGE_WRITES) && !first(&s, NH_EDGE_READS));
	nh_arena_free(&s.a);
}

static void who_can_write(void)
{
	struct scene s;

	reads_its_own(&s, READ);
	ok(writers(&s) == NH_WRITERS_SELF && !nh_may_write_itself(&s.g, s.g.ix.threads.v[0], true));
	/* A handler may, one for a fault will not. */
	s.c.processes.v[0].caught = 1U << (10 - 1);
	ok(nh_may_write_itself(&s.g, s.g.ix.threads.v[0], true));
	s.c.processes.v[0].caught = 1U << (11 - 1);
	ok(!nh_may_write_itself(&s.g, s.g.ix.threads.v[0], true));
	/* A self-pipe. */
	s.c.fds.v[1].flags = O_NONBLOCK | O_WRONLY;
	ok(writers(&s) == NH_WRITERS_OTHERS);
	s.c.fds.v[1].flags = NH_UNKNOWN;
	ok(writers(&s) == NH_WRITERS_OTHERS);
	nh_arena_free(&s.a);

	reads_its_own(&s, POLL);
	ok(writers(&s) == NH_WRITERS_SELF);
	s.c.threads.v[0].args.v[2] = 500; /* milliseconds */
	ok(writers(&s) == NH_WRITERS_OTHERS);
	nh_arena_free(&s.a);

	/* A named one can get a new writer. */
	reads_its_own(&s, READ);
	nh_for(fd, &s.c.fds)
		fd->path = "/tmp/fifo";
	ok(writers(&s) == NH_WRITERS_OTHERS);
	nh_arena_free(&s.a);

	reads_its_own(&s, WRITE);
	ok(writers(&s) == NH_WRITERS_OTHERS);
	nh_arena_free(&s.a);
}

static void orphans(void)
{
	struct scene s;

	reads_its_own(&s, READ);
	process(&s, 120, 1, "S");
	holds(&s, 120, 1, 7, "w");
	ok(writers(&s) == NH_WRITERS_ORPHANS);
	/* Its child is one too; a child of the reader, or of its parent, is none. */
	process(&s, 130, 120, "S");
	holds(&s, 130, 1, 7, "w");
	ok(writers(&s) == NH_WRITERS_ORPHANS);
	s.c.processes.v[3].ppid = 50;
	ok(writers(&s) == NH_WRITERS_OTHERS);
	s.c.processes.v[3].ppid = 100;
	ok(writers(&s) == NH_WRITERS_OTHERS);
	s.c.processes.v[3].ppid = 1;
	/* The reader is adopted itself, unless a child of it has ended: then it launches. */
	s.c.processes.v[0].ppid = 1;
	ok(writers(&s) == NH_WRITERS_OTHERS);
	process(&s, 110, 100, "Z");
	ok(writers(&s) == NH_WRITERS_ORPHANS);
	ok(nh_dead_child(&s.g, 100)->pid == 110);
	nh_arena_free(&s.a);
}

int main(void)
{
	remote_ends();
	objects();
	who_can_write();
	orphans();
	return done();
}
