#include "records/check.h"

static size_t count_off(const struct nh_case *c)
{
	size_t n = 0;

	nh_for(k, &c->checks)
		n += k->state == NH_CHECK_OFF;
	return n;
}

const char *nh_checks_title(struct nh_arena *a, const char *subject, size_t off)
{
	return off ? nh_arena_printf(a,
			     "%s: the next failure will leave too little evidence: %zu thing%s off",
			     subject, off, off == 1 ? " is" : "s are")
		   : nh_arena_printf(a, "%s: the next failure will leave its evidence", subject);
}

static const char *sentence(struct nh_arena *a, const struct nh_check *k)
{
	return nh_arena_printf(
		a, "%s: %s%s%s", k->what, k->fact, k->why ? ": " : "", k->why ? k->why : "");
}

const char *nh_check_mend(struct nh_arena *a, const struct nh_check *k)
{
	return nh_arena_printf(
		a, "%s%s%s", k->what, k->cost ? "; its price: " : "", k->cost ? k->cost : "");
}

static void convict(struct nh_case *c)
{
	struct nh_finding *f =
		nh_row_push(c->arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);
	struct nh_arena *a = c->arena;

	f->id = "evidence-off";
	f->confidence = NH_CONFIRMED;
	f->title = nh_checks_title(
		a, c->checks.v->subject ? c->checks.v->subject : "the job", count_off(c));
	nh_for(k, &c->checks) {
		if (!k->what || !k->fact)
			continue;
		if (k->state == NH_CHECK_OFF)
			*nh_push(a, &f->evidence) = sentence(a, k);
		if (k->state == NH_CHECK_UNKNOWN)
			*nh_push(a, &f->unknown) = sentence(a, k);
		else
			*nh_push(a, &f->gates) = (struct nh_gate){ k->what,
				k->state == NH_CHECK_FINE ? "held" : "not held", k->fact };
		if (k->state == NH_CHECK_OFF)
			*nh_push(a, &f->remedy) =
				(struct nh_remedy){ nh_check_mend(a, k), k->command };
	}
	*nh_push(a, &f->refutes) =
		"a setting that is not in the environment: nccl.conf, os.environ, a plugin";
}

void nh_checks_analyse(struct nh_case *c)
{
	if (count_off(c)) {
		convict(c);
		return;
	}
	nh_for(k, &c->checks)
		if (k->what && k->fact &&
			(k->state == NH_CHECK_FINE || k->state == NH_CHECK_ADVICE))
			*nh_push(c->arena, &c->verdict.ruled_out) =
				(struct nh_ruled_out){ "evidence-off", sentence(c->arena, k) };
}
