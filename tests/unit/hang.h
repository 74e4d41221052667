/*
 * The reference hang as rows of a case, in as many samples as asked for: thread 100 joins thread
 * 101, which polls 65 slots, the first one connected to an end that only process 200 holds.
 */
#ifndef HANG_H
#define HANG_H

#include "model/case.h"

enum { RANK = 100, SERVICE = 101, HELPER = 200, PARENT = 1, NEAR = 11, FAR = 12, LISTENER = 13 };

static inline void hang_process(struct nh_case *c, int64_t sample, int64_t pid, int64_t ppid)
{
	struct nh_process *p = nh_case_row(c, process, processes);

	p->sample = sample;
	p->pid = pid;
	p->start = pid * 10;
	p->ppid = ppid;
	p->nthreads = 1;
	p->why = pid == RANK ? NH_WHY_TARGET : pid == HELPER ? NH_WHY_HOLDER : NH_WHY_ANCESTOR;
	p->state = "S";
	p->comm = pid == HELPER ? "helper" : "python3";
}

static inline struct nh_thread *hang_thread(
	struct nh_case *c, int64_t sample, int64_t pid, int64_t tid, int64_t nr)
{
	struct nh_thread *t = nh_case_row(c, thread, threads);

	t->sample = sample;
	t->pid = pid;
	t->tid = t->nstid = tid;
	t->start = tid * 10;
	t->nr = nr;
	t->state = "S";
	for (int i = 0; i < 6; i++)
		*nh_push(c->arena, &t->args) = 0;
	return t;
}

static inline struct nh_fd *hang_fd(
	struct nh_case *c, int64_t sample, int64_t pid, int64_t fd, int64_t inode)
{
	struct nh_fd *f = nh_case_row(c, fd, fds);

	f->sample = sample;
	f->pid = pid;
	f->fd = fd;
	f->kind = NH_FD_SOCKET;
	f->inode = inode;
	return f;
}

static inline struct nh_socket *hang_socket(struct nh_case *c, int64_t sample, int64_t inode,
	int state, const char *local, const char *remote)
{
	struct nh_socket *s = nh_case_row(c, socket, sockets);

	s->sample = sample;
	s->netns = 1;
	s->family = NH_TCP4;
	s->inode = inode;
	s->state = state;
	s->rx_queue = s->tx_queue = 0;
	s->local = local;
	s->remote = remote;
	return s;
}

static inline void hang_waits(struct nh_case *c, struct nh_thread *t, int64_t slot, int64_t fd)
{
	*nh_push(c->arena, &t->waits) = (struct nh_pollfd){ slot, fd, 1 };
}

static inline void hang_sample(struct nh_case *c, int64_t sample)
{
	struct nh_sample *s = nh_case_row(c, sample, samples);
	struct nh_thread *t;

	s->sample = sample;
	s->at_ms = (sample - 1) * 1000;
	s->walked = 3;
	s->unreadable = 0;
	s->fds = 4;
	s->complete = true;
	hang_process(c, sample, PARENT, 0);
	hang_process(c, sample, RANK, PARENT);
	hang_process(c, sample, HELPER, RANK);
	t = hang_thread(c, sample, RANK, RANK, 202);
	t->args.v[0] = 0x7f00;
	t->args.v[1] = 0x109;
	t->args.v[2] = (uint64_t)(t->futex_word = SERVICE);
	t = hang_thread(c, sample, RANK, SERVICE, 7);
	t->args.v[1] = 65;
	t->args.v[2] = 500;
	hang_waits(c, t, 0, 8);
	hang_waits(c, t, 64, 4);
	hang_thread(c, sample, HELPER, HELPER, 34);
	hang_fd(c, sample, RANK, 8, NEAR);
	hang_fd(c, sample, RANK, 4, LISTENER);
	hang_fd(c, sample, HELPER, 7, FAR);
	hang_socket(c, sample, NEAR, NH_TCP_ESTABLISHED, "10.0.0.1:40", "10.0.0.1:50");
	hang_socket(c, sample, FAR, NH_TCP_ESTABLISHED, "10.0.0.1:50", "10.0.0.1:40");
	hang_socket(c, sample, LISTENER, NH_TCP_LISTEN, "10.0.0.1:40", "0.0.0.0:0");
}

/* Lives in a; the rows of sample 1 come first in every table. */
static inline struct nh_case *hang_case(struct nh_arena *a, int samples)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);

	nh_row_init(&nh_case_header_type, c);
	c->arena = a;
	c->id = "00112233445566aa";
	c->host = "gpu03";
	c->machine = "x86_64";
	c->ticks_per_s = 100;
	*nh_push(a, &c->asked) = RANK;
	for (int i = 1; i <= samples; i++)
		hang_sample(c, i);
	return c;
}

#endif
