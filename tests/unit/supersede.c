#include "tap.h"

#include <string.h>
#include "analyse/supersede.h"

/* A finding about one thread of one process. */
static void find(struct nh_case *c, const char *id, int confidence, int64_t tid)
{
	struct nh_finding *f = nh_push(c->arena, &c->verdict.findings);

	nh_row_init(&nh_finding_type, f);
	f->id = id;
	f->confidence = confidence;
	f->title = "it hangs";
	*nh_push(c->arena, &f->victims) =
		(struct nh_actor){ .host = "h", .pid = 1, .tid = tid, .rank = -1, .fd = -1 };
}

static struct nh_case *two(struct nh_arena *a, const char *id, int confidence, int64_t tid,
	const char *other, int other_confidence, int64_t other_tid)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);

	c->arena = a;
	find(c, id, confidence, tid);
	find(c, other, other_confidence, other_tid);
	nh_supersede(c);
	return c;
}

static void replaced(struct nh_arena *a)
{
	struct nh_case *c = two(a, "lock-cycle", NH_CONFIRMED, 7, "gil-deadlock", NH_LIKELY, 7);

	ok(c->verdict.findings.n == 1 && c->verdict.ruled_out.n == 1);
	is(c->verdict.findings.v[0].id, "gil-deadlock");
	is(c->verdict.findings.v[0].evidence.v[0], "also seen as lock-cycle (confirmed): it hangs");
	is(c->verdict.ruled_out.v[0].id, "lock-cycle");
}

static void kept(struct nh_arena *a)
{
	/* Other threads; a mere possibility; no order between the two. */
	ok(two(a, "lock-cycle", NH_LIKELY, 7, "gil-deadlock", NH_LIKELY, 8)->verdict.findings.n ==
		2);
	ok(two(a, "lock-cycle", NH_LIKELY, 7, "gil-deadlock", NH_POSSIBLE, 7)->verdict.findings.n ==
		2);
	ok(two(a, "lock-cycle", NH_LIKELY, 7, "stopped-process", NH_LIKELY, 7)
			->verdict.findings.n == 2);
}

/* What replaces may be replaced: the last one has all that was seen. */
static void one_after_another(struct nh_arena *a)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);

	c->arena = a;
	find(c, "zombie-leader", NH_LIKELY, 7);
	find(c, "lock-cycle", NH_LIKELY, 7);
	find(c, "gil-deadlock", NH_LIKELY, 7);
	nh_supersede(c);
	ok(c->verdict.findings.n == 1 && c->verdict.findings.v[0].evidence.n == 2);
	is(c->verdict.findings.v[0].id, "gil-deadlock");
	is(c->verdict.findings.v[0].evidence.v[0], "also seen as zombie-leader (likely): it hangs");
}

/* One of two findings of an id goes: the id is not ruled out. */
static void one_of_two(struct nh_arena *a)
{
	struct nh_case *c = nh_new(a, struct nh_case, 1);

	c->arena = a;
	find(c, "lock-cycle", NH_LIKELY, 7);
	find(c, "lock-cycle", NH_LIKELY, 9);
	find(c, "gil-deadlock", NH_LIKELY, 7);
	nh_supersede(c);
	ok(c->verdict.findings.n == 2 && !c->verdict.ruled_out.n);
	ok(c->verdict.findings.v[0].victims.v[0].tid == 9);
	is(c->verdict.findings.v[1].id, "gil-deadlock");
}

int main(void)
{
	struct nh_arena a = { 0 };

	replaced(&a);
	kept(&a);
	one_after_another(&a);
	one_of_two(&a);
	nh_arena_free(&a);
	return done();
}
