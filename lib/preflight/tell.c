#include <string.h>
#include "analyse/analyse.h"
#include "records/check.h"
#include "case/codec.h"
#include "preflight/preflight.h"

static size_t count(const struct nh_preflight *p, int state)
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
	nh_for(k, &p->checks) {
		struct nh_check *row = nh_case_row(ret, check, checks);

		*row = *k;
		row->subject = p->subject;
	}
	nh_analyse(ret);
}

static void section(const struct nh_preflight *p, struct nh_doc *d, int state, const char *heading)
{
	if (!count(p, state))
		return;
	nh_doc_add(d, NH_B_HEADING, heading);
	nh_for(c, &p->checks)
		if (c->state == state)
			nh_doc_def(d, c->what, "%s%s%s", c->fact, c->why ? ": " : "",
				c->why ? c->why : "");
}

static void commands(const struct nh_preflight *p, struct nh_doc *d, int state, const char *heading)
{
	bool any = false;

	nh_for(c, &p->checks) {
		if (c->state != state || !c->cost)
			continue;
		if (!any)
			nh_doc_add(d, NH_B_HEADING, heading);
		any = true;
		nh_doc_add(d, NH_B_ITEM, nh_check_mend(p->a, c));
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
	nh_doc_add(d, NH_B_PARA, nh_checks_title(p->a, p->subject, count(p, NH_CHECK_OFF)));
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
