/* Whom to ask about NCCL's RAS, and what becomes of the answer. */
#include <errno.h>
#include <string.h>
#include "base/str.h"
#include "collect/internal.h"
#include "collect/ras_client.h"
#include "know/env.h"
#include "know/nccl_versions.h"

#define SUBJECT "NCCL's RAS service"

/* The host that a line names, so that --redact knows it: "… on node 10.0.0.1 managing GPU 5". */
static const char *node_of(struct nh_arena *a, const char *text)
{
	static const char before[] = " on node ";
	const char *at = strstr(text, before);

	at = at ? at + sizeof(before) - 1 : NULL;
	return at ? nh_arena_strndup(a, at, strcspn(at, " ,\t")) : NULL;
}

static void keep(struct nh_collector *k, const struct nh_addr *from, const struct nh_ras_answer *r)
{
	char address[NH_ADDR_TEXT];
	const char *end = r->text + r->n, *where;
	int64_t line = 0;

	where = nh_arena_strdup(k->a, nh_addr_text(from, address));
	for (const char *p = r->text; p < end; line++) {
		size_t n = (size_t)(end - p);
		const char *nl = memchr(p, '\n', n);
		struct nh_ras *row = nh_case_row(k->c, ras, ras);

		n = nl ? (size_t)(nl - p) : n;
		row->address = where;
		row->line = line;
		row->text = nh_utf8_repair(k->a, p, n);
		row->node = node_of(k->a, row->text);
		p += n + 1;
	}
	if (!r->whole)
		nh_gap_said(k, SUBJECT, "the rest of its answer",
			"it did not come to its end in time", NULL, false);
}

static const char *why_not(struct nh_collector *k, int err, const char *where)
{
	switch (err) {
	case -ECONNREFUSED:
		return nh_arena_printf(k->a,
			"nobody listens on %s: no communicator is open, NCCL is older than 2.24, or "
			"NCCL_RAS_ENABLE is 0",
			where);
	case -ETIMEDOUT:
		return nh_arena_printf(k->a, "%s did not answer in time", where);
	case -EPROTO:
		return nh_arena_printf(k->a, "what listens on %s is no RAS service", where);
	case -EINVAL:
		return nh_arena_printf(
			k->a, "%s is no numeric address, and names are not resolved here", where);
	default:
		return nh_arena_printf(k->a, "%s: %s", where, strerror(-err));
	}
}

static void ask(struct nh_collector *k, const char *where)
{
	int64_t until = k->began_ms + k->o->timeout_ms * 9 / 10;
	struct nh_addr to[NH_RAS_ENDS];
	struct nh_ras_answer answer;
	size_t n = nh_ras_endpoints(where, to);
	int r = -EINVAL;

	for (size_t i = 0; i < n && r; i++) {
		int next = nh_ras_ask(k->a, &to[i], until, &answer);

		/* A refusal says less than any other failure. */
		if (!next || r == -EINVAL || next != -ECONNREFUSED)
			r = next;
		if (!r)
			keep(k, &to[i], &answer);
	}
	if (r)
		nh_gap_said(k, nh_arena_printf(k->a, SUBJECT " at %s", where), "its answer",
			why_not(k, r, where), NULL, false);
}

static void say_risk(struct nh_collector *k, const struct nh_subject *s)
{
	char buf[NH_NCCL_VERSION_TEXT];

	if (s->nccl >= NH_NCCL_RAS_SINCE && s->nccl < NH_NCCL_RAS_SAFE)
		nh_gap_said(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid),
			"what asking RAS did to it",
			nh_arena_printf(k->a,
				"it has NCCL %s: a query while a communicator initialises may crash the "
				"job (NCCL #1669, fixed in 2.27.3); --ras asked all the same",
				nh_nccl_version_text(s->nccl, buf)),
			NULL, false);
}

/* Where a subject's RAS service would be; NULL = it has none that could be asked. */
static const char *where_of(struct nh_collector *k, const struct nh_subject *s)
{
	const char *where = NULL, *enable = NULL;
	bool asked_for = s->why == NH_WHY_TARGET || s->why == NH_WHY_FOUND;

	if (s->ended || (s->nccl == NH_UNKNOWN ? !asked_for : s->nccl < NH_NCCL_RAS_SINCE))
		return NULL;
	nh_for(p, &k->c->processes)
		if (p->pid == s->pid && p->sample == k->sample) {
			where = nh_env_get(p, "NCCL_RAS_ADDR");
			enable = nh_env_get(p, "NCCL_RAS_ENABLE");
		}
	return nh_streq(enable, "0") ? NULL : where ? where : NH_RAS_DEFAULT;
}

static void add(struct nh_collector *k, const char *where)
{
	nh_for(old, &k->ras_at)
		if (!strcmp(*old, where))
			return;
	*nh_push(k->a, &k->ras_at) = where;
}

void nh_find_ras(struct nh_collector *k)
{
	size_t candidates = 0;

	nh_for(s, &k->subjects) {
		const char *where = where_of(k, s);

		if (!where)
			continue;
		candidates++;
		if (s->netns != k->self_netns) {
			nh_gap_said(k, nh_arena_printf(k->a, "pid %jd", (intmax_t)s->pid),
				"its RAS service", "it is in another network namespace",
				nh_arena_printf(k->a, "sudo nsenter -t %jd -n %s", (intmax_t)s->pid,
					k->o->rerun),
				false);
			continue;
		}
		say_risk(k, s);
		add(k, where);
	}
	if (!candidates)
		nh_gap_said(k, SUBJECT, "its answer",
			"no process here has an NCCL of 2.24 or newer with RAS on", NULL, false);
}

void nh_ask_ras(struct nh_collector *k)
{
	nh_mark_idle(k->mark);
	nh_for(where, &k->ras_at)
		ask(k, *where);
}
