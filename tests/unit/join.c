/* Findings of one culprit become one; others stay. */
#include "records/flight_tell.h"
#include "analyse/join.h"
#include "tap.h"

static struct nh_arena arena;

static struct nh_actor actor(int64_t pid)
{
	struct nh_actor who = nh_flight_actor(NH_UNKNOWN);

	who.pid = pid;
	return who;
}

static struct nh_finding *found(
	struct nh_verdict *v, const char *id, int64_t culprit, int64_t victim)
{
	struct nh_finding *f = nh_row_push(&arena, &nh_finding_type, (struct nh_vec *)&v->findings);

	f->id = id;
	f->confidence = NH_LIKELY;
	f->title = nh_arena_printf(&arena, "%jd waits", (intmax_t)victim);
	*nh_push(&arena, &f->victims) = actor(victim);
	*nh_push(&arena, &f->chain) =
		(struct nh_link){ nh_arena_printf(&arena, "%jd", (intmax_t)victim), "x", "waits",
			"", 0 };
	*nh_push(&arena, &f->remedy) = (struct nh_remedy){ "kill it", "kill 7" };
	*nh_push(&arena, &f->remedy) = (struct nh_remedy){ "or free it",
		nh_arena_printf(&arena, "free %jd", (intmax_t)victim) };
	*nh_push(&arena, &f->remedy) = (struct nh_remedy){ "or wait", NULL };
	if (culprit == NH_UNKNOWN)
		return f;
	f->culprit = nh_new(&arena, struct nh_actor, 1);
	*f->culprit = actor(culprit);
	return f;
}

int main(void)
{
	struct nh_case c = { .arena = &arena };
	struct nh_verdict *v = &c.verdict;
	const struct nh_finding *f;

	found(v, "a", 7, 1)->culprit->fd = 3;
	found(v, "a", 7, 2)->culprit->fd = 4;
	found(v, "b", 7, 1);
	found(v, "a", 8, 1);
	found(v, "a", 7, 3)->confidence = NH_CONFIRMED;
	found(v, "a", NH_UNKNOWN, 1);
	found(v, "a", NH_UNKNOWN, 2);
	found(v, "a", 7, 1)->culprit->tid = 9;
	nh_join_findings(&c);
	ok(v->findings.n == 7);
	f = v->findings.v;
	ok(f->victims.n == 2 && f->victims.v[1].pid == 2 && f->culprit->fd == 3);
	is(f->title, "1 waits");
	ok(f->evidence.n == 1);
	is(f->evidence.v[0], "likewise: 2 waits");
	ok(f->chain.n == 2);
	ok(f->remedy.n == 4);
	is(f->remedy.v[1].command, "free 1");
	is(f->remedy.v[2].command, "free 2");
	is(f->remedy.v[3].what, "or wait");
	ok(v->findings.v[1].victims.n == 1 && v->findings.v[6].culprit->tid == 9);
	nh_join_findings(&c);
	ok(v->findings.n == 7 && f->chain.n == 2);
	/* What was asked for leads. */
	v->findings.n = 0;
	found(v, "a", 7, 1)->culprit->fd = 3;
	found(v, "a", 7, 2)->culprit->fd = 4;
	*nh_push(&arena, &c.asked) = 2;
	nh_join_findings(&c);
	ok(v->findings.n == 1 && f->culprit->fd == 4 && f->victims.v[0].pid == 2);
	nh_arena_free(&arena);
	return done();
}
