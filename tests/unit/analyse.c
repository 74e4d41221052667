#include "tap.h"
#include "hang.h"

#include <stdlib.h>
#include "analyse/analyse.h"

#define HELD "nccl-teardown-held-socket"

/* The confidence of the one finding, 0 if there is none, -1 if there are more. */
static int analysed(struct nh_case *c)
{
	nh_analyse(c);
	if (c->verdict.findings.n > 1)
		return -1;
	return c->verdict.findings.n ? c->verdict.findings.v[0].confidence : 0;
}

static const char *ruled_out(const struct nh_case *c, const char *id)
{
	nh_for(r, &c->verdict.ruled_out)
		if (!strcmp(r->id, id))
			return r->why;
	return NULL;
}

static int is_clear(struct nh_case *c)
{
	return !analysed(c) && c->verdict.status == NH_NO_HANG && ruled_out(c, HELD) &&
	       nh_verdict_exit(&c->verdict) == 0;
}

static void convicted(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 2);
	const struct nh_finding *f;
	struct nh_groups groups;

	ok(analysed(c) == NH_CONFIRMED);
	ok(c->verdict.status == NH_HANG && nh_verdict_exit(&c->verdict) == 1);
	ok(!ruled_out(c, HELD));
	f = c->verdict.findings.v;
	is(f->id, HELD);
	ok(f->culprit && f->culprit->pid == HELPER && f->culprit->fd == 7);
	ok(f->culprit->start == HELPER * 10);
	ok(f->victims.n == 2 && f->victims.v[0].tid == RANK && f->victims.v[1].tid == SERVICE);
	ok(f->chain.n == 4 && f->gates.n == 4 && f->refutes.n && f->remedy.n);
	is(f->chain.v[0].edge, "joins");
	is(f->chain.v[3].edge, "is held open by");
	ok(analysed(c) == NH_CONFIRMED); /* anew, not in addition */
	nh_eliminate(a, c, &groups);
	ok(groups.n == 3 && groups.threads == 3 && groups.processes == 2);
	ok(groups.v[0].standing == NH_IN_CHAIN && groups.v[1].standing == NH_IN_CHAIN &&
		groups.standing[NH_IN_CHAIN] == 2 && groups.v[2].standing != NH_IN_CHAIN);
}

static void doubted(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);

	ok(analysed(c) == NH_LIKELY);
	c = hang_case(a, 2);
	c->samples.v[1].at_ms = 999;
	ok(analysed(c) == NH_LIKELY);
	c = hang_case(a, 2);
	c->fds.v[2].fd = 9; /* held by another number a second ago */
	ok(analysed(c) == NH_LIKELY);
	c = hang_case(a, 2);
	c->processes.v[2].start = 1; /* another process with that PID a second ago */
	ok(analysed(c) == NH_LIKELY);
	c = hang_case(a, 2);
	c->sockets.v[0].rx_queue = 5; /* what a bounded wait counts may change */
	c->threads.v[1].vcsw = 77;
	ok(analysed(c) == NH_CONFIRMED);
}

/* Take one link away, and nobody may be convicted. */
static void acquitted(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);

	c->threads.v[0].nr = 34; /* nobody joins the service thread */
	ok(is_clear(c));
	c = hang_case(a, 1);
	c->threads.v[0].futex_word = 0; /* the joined thread has ended */
	ok(is_clear(c));
	c = hang_case(a, 1);
	c->threads.v[1].args.v[1] = 66; /* not the service thread's poll set */
	ok(is_clear(c));
	c = hang_case(a, 1);
	c->sockets.v[2].state = NH_TCP_CLOSE; /* nor its listener */
	ok(is_clear(c));
	c = hang_case(a, 1);
	c->threads.v[1].waits.v[0].fd = 99; /* no live peer */
	ok(is_clear(c));
	c = hang_case(a, 2);
	c->threads.v[3].nr = 34; /* the wait ended between the samples */
	ok(analysed(c) == 0);
	is(ruled_out(c, HELD), "seen in the first sample, gone in the second");
}

/* Somebody waits, but why is not known. */
static void open_questions(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);

	c->sockets.v[0].remote = "10.0.0.2:50"; /* the other end is on another host */
	ok(analysed(c) == 0 && c->verdict.status == NH_INCONCLUSIVE);
	c = hang_case(a, 1);
	hang_fd(c, 1, RANK, 7, FAR); /* the rank has not closed it itself */
	ok(analysed(c) == 0 && c->verdict.status == NH_INCONCLUSIVE);
	c = hang_case(a, 2);
	c->fds.v[2].inode = c->fds.v[5].inode = 99; /* nobody is seen to hold it */
	ok(analysed(c) == NH_POSSIBLE && c->verdict.status == NH_INCONCLUSIVE);
	ok(!c->verdict.findings.v[0].culprit && nh_verdict_exit(&c->verdict) == 2);
	c = hang_case(a, 1);
	c->threads.v[0].nr = 34;
	*nh_push(a, &c->gaps) = (struct nh_gap){ .subject = "pid 100", .needed = true };
	ok(analysed(c) == 0 && c->verdict.status == NH_INCONCLUSIVE);
	c->gaps.v[0].needed = false;
	ok(is_clear(c));
}

static void merged(struct nh_arena *a)
{
	struct nh_case *hang = hang_case(a, 2), *quiet = hang_case(a, 2), all;

	quiet->id = "00000000000000bb";
	quiet->host = "gpu04";
	quiet->threads.v[0].nr = quiet->threads.v[3].nr = 34;
	*nh_push(a, &quiet->gaps) = (struct nh_gap){ .subject = "pid 7", .what = "memory" };
	nh_analyse(hang);
	nh_analyse(quiet);
	nh_merge((struct nh_case *[]){ quiet, hang }, 2, a, &all);
	is(all.host, "gpu04,gpu03");
	ok(all.verdict.status == NH_HANG && all.verdict.findings.n == 1);
	ok(!ruled_out(&all, HELD)); /* one host convicts it */
	is(all.verdict.findings.v[0].culprit->host, "gpu03");
	is(all.gaps.v[0].subject, "gpu04: pid 7");
	ok(strcmp(all.id, hang->id) != 0 && strcmp(all.id, quiet->id) != 0);
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case nothing = { .arena = &a };

	ok(analysed(&nothing) == 0 && nothing.verdict.status == NH_NOTHING_TO_INSPECT);
	convicted(&a);
	doubted(&a);
	acquitted(&a);
	open_questions(&a);
	merged(&a);
	nh_arena_free(&a);
	return done();
}
