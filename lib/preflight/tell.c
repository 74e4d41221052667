#include <string.h>
#include "case/codec.h"
#include "preflight/preflight.h"

static size_t count(const struct nh_preflight *p, enum nh_check_state state)
{
	size_t n = 0;

	nh_for(c, &p->checks)
		n += c->state == state;
	return n;
}

bool nh_preflight_off(const struct nh_preflight *p)
{
	return count(p, NH_CHECK_OFF);
}

static const char *title_of(const struct nh_preflight *p)
{
	size_t off = count(p, NH_CHECK_OFF);

	return off ? nh_arena_printf(p->a,
			     "%s: the next failure will leave too little evidence: %zu thing%s off",
			     p->subject, off, off == 1 ? " is" : "s are")
		   : nh_arena_printf(
			     p->a, "%s: the next failure will leave its evidence", p->subject);
}

static const char *sentence(struct nh_arena *a, const struct nh_check *c)
{
	return nh_arena_printf(
		a, "%s: %s%s%s", c->what, c->fact, c->why ? ": " : "", c->why ? c->why : "");
}

static const char *mend(struct nh_arena *a, const struct nh_check *c)
{
	return nh_arena_printf(
		a, "%s%s%s", c->what, c->cost ? "; its price: " : "", c->cost ? c->cost : "");
}

static void convict(const struct nh_preflight *p, struct nh_verdict *v)
{
	struct nh_finding *f = nh_push(p->a, &v->findings);

	nh_row_init(&nh_finding_type, f);
	f->id = "evidence-off";
	f->confidence = NH_CONFIRMED;
	f->title = title_of(p);
	nh_for(c, &p->checks) {
		if (c->state == NH_CHECK_OFF)
			*nh_push(p->a, &f->evidence) = sentence(p->a, c);
		if (c->state == NH_CHECK_UNKNOWN)
			*nh_push(p->a, &f->unknown) = sentence(p->a, c);
		else
			*nh_push(p->a, &f->gates) = (struct nh_gate){ c->what,
				c->state == NH_CHECK_FINE ? "held" : "not held", c->fact };
		if (c->state == NH_CHECK_OFF)
			*nh_push(p->a, &f->remedy) =
				(struct nh_remedy){ mend(p->a, c), c->command };
	}
	*nh_push(p->a, &f->refutes) =
		"a setting that is not in the environment: nccl.conf, os.environ, a plugin";
}

void nh_preflight_case(const struct nh_preflight *p, struct nh_case *ret)
{
	memset(ret, 0, sizeof(*ret));
	nh_row_init(&nh_case_header_type, ret);
	ret->arena = p->a;
	ret->schema = NH_SCHEMA;
	ret->id = nh_case_new_id(p->a);
	ret->tool = "ncclhang " NH_VERSION;
	if (p->pid != NH_UNKNOWN)
		*nh_push(p->a, &ret->asked) = p->pid;
	ret->verdict.status = NH_NO_HANG;
	if (nh_preflight_off(p)) {
		ret->verdict.status = NH_PROBLEM;
		convict(p, &ret->verdict);
		return;
	}
	nh_for(c, &p->checks)
		if (c->state == NH_CHECK_FINE || c->state == NH_CHECK_ADVICE)
			*nh_push(p->a, &ret->verdict.ruled_out) =
				(struct nh_ruled_out){ "evidence-off", sentence(p->a, c) };
}

static void section(const struct nh_preflight *p, struct nh_doc *d, enum nh_check_state state,
	const char *heading)
{
	if (!count(p, state))
		return;
	nh_doc_add(d, NH_B_HEADING, heading);
	nh_for(c, &p->checks)
		if (c->state == state)
			nh_doc_def(d, c->what, "%s%s%s", c->fact, c->why ? ": " : "",
				c->why ? c->why : "");
}

static void commands(const struct nh_preflight *p, struct nh_doc *d, enum nh_check_state state,
	const char *heading)
{
	bool any = false;

	nh_for(c, &p->checks) {
		if (c->state != state || !c->cost)
			continue;
		if (!any)
			nh_doc_add(d, NH_B_HEADING, heading);
		any = true;
		nh_doc_add(d, NH_B_ITEM, mend(p->a, c));
		if (c->command)
			nh_doc_add(d, NH_B_COMMAND, c->command);
	}
}

void nh_preflight_words(const struct nh_preflight *p, struct nh_doc *d)
{
	bool off = nh_preflight_off(p);

	nh_doc_pair(
		d, NH_B_TITLE, NULL, off ? "problem: evidence-off (confirmed)" : "evidence is on")
		->tone = off ? NH_TONE_WARN : NH_TONE_GOOD;
	nh_doc_add(d, NH_B_PARA, title_of(p));
	section(p, d, NH_CHECK_OFF, "Off");
	commands(p, d, NH_CHECK_OFF, "What to export before the next run");
	section(p, d, NH_CHECK_ADVICE, "Could tell more");
	commands(p, d, NH_CHECK_ADVICE, "If its price is right");
	section(p, d, NH_CHECK_UNKNOWN, "Not known");
	section(p, d, NH_CHECK_FINE, "In order");
	nh_doc_add(d, NH_B_PARA,
		"Only looked: nothing was run or changed. Settings that a program makes itself, and "
		"those of nccl.conf, are not seen.");
}
