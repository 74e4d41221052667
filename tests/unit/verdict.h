/* A hand-made case with the reference verdict, for the tests of what is printed. */
#ifndef VERDICT_H
#define VERDICT_H

#include "model/case.h"

static inline void link_row(struct nh_arena *a, struct nh_finding *f, const char *from,
	const char *edge, const char *to, const char *fact, bool inferred)
{
	*nh_push(a, &f->chain) = (struct nh_link){ from, to, edge, fact, inferred };
}

static inline void actor_row(
	struct nh_actor *who, int64_t rank, int64_t pid, int64_t fd, const char *comm)
{
	*who = (struct nh_actor){ "gpu03", pid, NH_UNKNOWN, NH_UNKNOWN, rank, fd, comm };
}

static inline void sample_finding(struct nh_case *c)
{
	struct nh_arena *a = c->arena;
	struct nh_finding *f =
		nh_row_push(a, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

	f->id = "nccl-teardown-held-socket";
	f->confidence = NH_LIKELY;
	f->title = "ncclCommAbort waits for a peer that has left, because process 4720 still holds "
		   "the peer's end of its connection";
	f->culprit = nh_new(a, struct nh_actor, 1);
	actor_row(f->culprit, NH_UNKNOWN, 4720, 7, "data loader\033[2J");
	actor_row(nh_push(a, &f->victims), 0, 4711, NH_UNKNOWN, "python3");
	for (int i = 0; i < 11; i++)
		actor_row(nh_push(a, &f->victims), i, 4711 + i, NH_UNKNOWN, "python3");
	link_row(a, f, "thread 4711 (rank 0, python3)", "joins",
		"thread 4713 (rank 0, nccl service)",
		"futex 0x7f0123456990 holds 4713 = TID of the thread below", false);
	link_row(a, f, "thread 4713 (rank 0, nccl service)", "polls",
		"socket 127.0.0.1:40001 (inode 9)", "slot 0 of 65 is fd 8, timeout 500 ms", false);
	link_row(a, f, "socket 127.0.0.1:40001 (inode 9)", "connected to", "fd 7 of process 4720",
		"the other end is ESTABLISHED and held by no descriptor of "
		"/very/long/path/without/any/blank/that/a/user/chose/for/the/name/of/the/"
		"interpreter",
		true);
	*nh_push(a, &f->gates) = (struct nh_gate){ "the library lacks shutdown", "held",
		"libnccl.so.2.17.1 does not import it" };
	*nh_push(a, &f->gates) = (struct nh_gate){ "the peer is gone", "inferred", NULL };
	*nh_push(a, &f->evidence) = "socket inode 9 is held by fd 7 of process 4720 alone";
	*nh_push(a, &f->refutes) = "a descriptor for inode 10 in process 4711";
	*nh_push(a, &f->unknown) = "who opened the socket";
	*nh_push(a, &f->remedy) =
		(struct nh_remedy){ "End the holder; its work is lost.", "kill 4720" };
	*nh_push(a, &f->remedy) = (struct nh_remedy){ "Save the case first.",
		"ncclhang --output /a/very/long/directory/name/that/goes/on/and/on/case.jsonl.zst "
		"4711 4712" };
}

/* status by the finding; lives in a. */
static inline struct nh_case *sample_case(struct nh_arena *a, bool with_finding)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);

	nh_row_init(&nh_case_header_type, c);
	c->arena = a;
	c->id = "00112233445566aa";
	c->tool = "ncclhang 0.1.0";
	c->host = "gpu03";
	c->kernel = "6.12.0";
	c->machine = "x86_64";
	c->taken = "2026-11-29T03:12:05.123Z";
	c->duration_ms = 1034;
	c->verdict.status = with_finding ? NH_HANG : NH_NO_HANG;
	if (with_finding)
		sample_finding(c);
	for (int i = 0; i < 9; i++)
		*nh_push(a, &c->gaps) = (struct nh_gap){ nh_arena_printf(a, "pid %d", 100 + i),
			"descriptors", "Permission denied", "sudo ncclhang 4711", true };
	*nh_push(a, &c->verdict.ruled_out) = (struct nh_ruled_out){ "fork-inherited-lock",
		"no thread waits for a lock whose owner is gone" };
	for (int i = 1; i < 3; i++) {
		struct nh_sample *s = nh_case_row(c, sample, samples);

		s->sample = i;
		s->at_ms = i * 1000;
		s->walked = 212;
		s->unreadable = 9;
		s->complete = true;
	}
	for (int i = 0; i < 2; i++) {
		struct nh_process *p = nh_case_row(c, process, processes);
		struct nh_thread *t = nh_case_row(c, thread, threads);

		p->sample = t->sample = 2;
		p->pid = t->pid = t->tid = 4711 + i;
		p->comm = t->comm = "python3";
		p->cmdline = "python3 train.py";
		t->wchan = "futex_do_wait";
	}
	return c;
}

#endif
