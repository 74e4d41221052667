#include "tap.h"
#include "verdict.h"

#include "analyse/analyse.h"
#include "tui/look.h"

static struct nh_process *process(struct nh_case *c, int64_t pid, int64_t ppid)
{
	struct nh_process *p = nh_case_row(c, process, processes);

	p->sample = 2;
	p->pid = pid;
	p->ppid = ppid;
	p->comm = "python3";
	return p;
}

static struct nh_thread *thread(struct nh_case *c, int64_t sample, int64_t tid, int64_t vcsw)
{
	struct nh_thread *t = nh_case_row(c, thread, threads);

	t->sample = sample;
	t->pid = 100;
	t->tid = tid;
	t->start = 7;
	t->state = "S";
	t->nr = 34;
	t->vcsw = vcsw;
	t->utime = t->stime = t->nvcsw = 0;
	for (int i = 0; i < 6; i++)
		*nh_push(c->arena, &t->args) = 0;
	return t;
}

static struct nh_case *empty(struct nh_arena *a)
{
	struct nh_case *c = sample_case(a, false);

	c->processes.n = c->threads.n = 0;
	return c;
}

static const struct nh_look *look(
	struct nh_arena *a, struct nh_case *c, const struct nh_look *before)
{
	struct nh_case **list = nh_new(a, struct nh_case *, 1);

	*list = c;
	return nh_look_new(a, c, list, 1, before);
}

/* Children below their parents; one that is its own ancestor is there once. */
static void test_tree(struct nh_arena *a)
{
	static const struct {
		int64_t pid;
		int depth;
	} want[] = { { 1, 0 }, { 10, 1 }, { 12, 2 }, { 11, 1 }, { 99, 0 }, { 50, 0 }, { 51, 1 },
		{ 60, 0 } };
	struct nh_case *c = empty(a);
	const struct nh_look *l;

	process(c, 12, 10);
	process(c, 11, 1);
	process(c, 1, 0);
	process(c, 10, 1);
	process(c, 51, 50);
	process(c, 50, 51);
	process(c, 60, 60);
	process(c, 99, NH_UNKNOWN);
	l = look(a, c, NULL);
	ok(l->processes.n == 8);
	for (size_t i = 0; i < l->processes.n && i < 8; i++) {
		bool found = false;

		for (size_t k = 0; k < 8; k++)
			found |= l->processes.v[i].p->pid == want[k].pid &&
				 (want[k].pid == 50 || want[k].pid == 51 ||
					 l->processes.v[i].depth == want[k].depth);
		ok(found);
	}
}

static char mark(const struct nh_look *l, int64_t tid)
{
	nh_for(r, &l->threads)
		if (r->t->tid == tid)
			return r->mark;
	return 0;
}

static void test_marks(struct nh_arena *a)
{
	struct nh_case *c = empty(a), *later = empty(a);
	const struct nh_look *l;

	process(c, 100, 1);
	thread(c, 1, 100, 5);
	thread(c, 2, 100, 5);
	thread(c, 1, 101, 5);
	thread(c, 2, 101, 9);
	thread(c, 1, 102, 5);
	thread(c, 2, 102, 5)->nr = 35;
	thread(c, 2, 103, 5);
	thread(c, 1, 104, 5);
	thread(c, 2, 104, 5)->start = 8; /* another thread of the same number */
	l = look(a, c, NULL);
	ok(mark(l, 100) == ' ');
	ok(mark(l, 101) == '~');
	ok(mark(l, 102) == '!');
	ok(mark(l, 103) == '+');
	ok(mark(l, 104) == '+');
	ok(!l->changes);

	/* Another look compares with the end of the one before. */
	process(later, 100, 1);
	thread(later, 2, 100, 5);
	thread(later, 2, 101, 9);
	thread(later, 2, 105, 9);
	l = look(a, later, l);
	ok(mark(l, 100) == ' ' && mark(l, 101) == ' ' && mark(l, 105) == '+');
	is(l->changes, "since the look before: 0 moved, 0 ran, 1 new, 3 gone; still no-hang");
}

static void test_nodes(struct nh_arena *a)
{
	struct nh_case *c = empty(a);
	const struct nh_look *l;
	struct nh_ref ref;

	sample_finding(c);
	process(c, 4720, 1)->comm = "data loader";
	c->verdict.findings.v[0].chain.v[2].to = "pid 4720 (data loader)";
	l = look(a, c, NULL);
	ref = nh_look_find(l, c->verdict.findings.v, "pid 4720 (data loader)");
	ok(ref.node.row == l->processes.v[0].p && ref.node.kind == NH_NODE_PROCESS);
	ok(!nh_look_find(l, c->verdict.findings.v, "socket 127.0.0.1:40001 (inode 9)").node.row);
	ok(nh_look_culprit(l, 0, 4720) && !nh_look_culprit(l, 0, 4711));
	is(l->processes.v[0].role, "culprit");
}

int main(void)
{
	struct nh_arena a = { 0 };

	test_tree(&a);
	test_marks(&a);
	test_nodes(&a);
	nh_arena_free(&a);
	return done();
}
