#include "analyse/analyse.h"

#include <string.h>
#include "records/check.h"
#include "records/checkpoint.h"
#include "records/flight.h"
#include "rules/gpu.h"
#include "analyse/join.h"
#include "rules/kernel_log.h"
#include "ranks/live_job.h"
#include "records/log.h"
#include "rules/nccl.h"
#include "rules/nccl_ras.h"
#include "analyse/rank.h"
#include "rules/rule.h"
#include "analyse/story.h"
#include "analyse/supersede.h"
#include "graph/words.h"
#include "base/set.h"
#include "base/str.h"

/* Facts must repeat over at least this time to be a state and not a moment. */
enum { APART_MS = 1000 };

/* Every rule, the more specific first where two explain one wait. */
static const struct nh_rule *const rules[] = {
	&nh_rule_held_socket,
	&nh_rule_held_socket_hidden,
	&nh_rule_peer_rank,
	&nh_rule_dead_peer,
	&nh_rule_dead_peer_fifo,
	&nh_rule_held_pipe,
	&nh_rule_held_pipe_tracker,
	&nh_rule_stray_client,
	&nh_rule_stray_peer,
	&nh_rule_teardown_graph,
	&nh_rule_teardown_cuda,
	&nh_rule_teardown_progress,
	&nh_rule_init_wait,
	&nh_rule_gil_cycle,
	&nh_rule_gil_wait,
	&nh_rule_lock_cycle,
	&nh_rule_fork_lock,
	&nh_rule_fork_alone,
	&nh_rule_cuda_owner,
	&nh_rule_cuda_lock,
	&nh_rule_cuda_keeper,
	&nh_rule_cuda_blocking,
	&nh_rule_exit,
	&nh_rule_lock_file,
	&nh_rule_stopped,
	&nh_rule_filesystem,
	&nh_rule_driver,
	&nh_rule_leader,
};

/* Collects a rule's complete paths of one sample, folded. */
struct found {
	struct nh_arena *a;
	const struct nh_rule *rule;
	const struct nh_graph *g;
	NH_VEC(struct nh_match) matches;
	struct nh_set signatures;
};

/* The identity of every node and the state that matters, so that equal means unchanged. */
static uint64_t signature(const struct nh_path *p)
{
	uint64_t h = 1;

	for (size_t i = 0; i < p->n; i++) {
		const struct nh_edge *e = p->edge[i];
		const struct nh_thread *t = e->to.row;
		const struct nh_process *pr = e->to.row;
		const struct nh_socket *s = e->to.row;
		const struct nh_fd *o = e->to.row;
		int64_t id[8] = { e->kind, e->wait ? e->wait->slot : 0, e->wait ? e->wait->fd : 0,
			e->kind == NH_EDGE_HELD_BY ? e->fd->fd : 0 };

		switch (e->to.kind) {
		case NH_NODE_THREAD:
			memcpy(id + 4, (int64_t[]){ t->pid, t->tid, t->start }, 3 * sizeof(*id));
			break;
		case NH_NODE_PROCESS:
			memcpy(id + 4, (int64_t[]){ pr->pid, pr->start }, 2 * sizeof(*id));
			break;
		case NH_NODE_SOCKET:
			memcpy(id + 4, (int64_t[]){ s->inode, s->state, s->netns },
				3 * sizeof(*id));
			break;
		case NH_NODE_OBJECT:
			memcpy(id + 4,
				(int64_t[]){ o->kind, o->inode, o->dev, o->inode > 0 ? 0 : o->fd },
				4 * sizeof(*id));
			break;
		case NH_NODE_REMOTE:
			id[4] = (int64_t)nh_hash(e->to.row, strlen(e->to.row), 1);
			break;
		}
		h = nh_hash(id, sizeof(id), h);
	}
	/* Where it starts matters too. */
	return nh_hash((int64_t[]){ p->start->pid, p->start->tid, p->start->start }, 24, h);
}

static const void *fold_key(const struct nh_rule *r, const struct nh_path *p)
{
	const void *key = p->start;

	for (size_t i = 0; i < p->n; i++)
		if (p->edge[i]->kind == r->fold)
			key = p->edge[i]->to.row;
	return key;
}

static bool same_end(const struct nh_path *a, const struct nh_path *b)
{
	const struct nh_edge *x, *y;

	if (!a->n || !b->n)
		return a->n == b->n && a->start == b->start;
	x = a->edge[a->n - 1];
	y = b->edge[b->n - 1];
	return x->from.row == y->from.row && x->to.row == y->to.row && x->fd == y->fd;
}

static void on_path(void *ctx, const struct nh_path *p)
{
	struct found *f = ctx;
	struct nh_match *m = NULL;

	nh_set_add(f->a, &f->signatures, signature(p));
	nh_for(old, &f->matches)
		if (fold_key(f->rule, &old->path) == fold_key(f->rule, p))
			m = old;
	if (!m) {
		m = nh_push(f->a, &f->matches);
		m->g = f->g;
		m->path = *p;
		return;
	}
	/* The longest path tells most; the shorter ones to the same end are parts of it. */
	if (same_end(&m->path, p)) {
		if (p->n > m->path.n)
			m->path = *p;
		return;
	}
	nh_for(old, &m->also) {
		if (same_end(old, p))
			return;
	}
	*nh_push(f->a, &m->also) = *p;
}

static const char *run(struct nh_arena *a, const struct nh_rule *r, const struct nh_graph *g,
	struct found *ret, size_t *reached)
{
	*ret = (struct found){ .a = a, .rule = r, .g = g };
	return nh_path_walk(g, &r->pattern, on_path, ret, reached);
}

static void fill_chain(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	for (size_t i = 0; i < m->path.n; i++)
		nh_tell_link(a, f, m->g, m->path.edge[i]);
}

/* Every thread on the chain that waits for another node of it. */
static void fill_victims(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f)
{
	nh_tell_victim(a, f, m->g, m->path.start);
	for (size_t i = 1; i < m->path.n; i++)
		if (m->path.edge[i]->from.kind == NH_NODE_THREAD)
			nh_tell_victim(a, f, m->g, m->path.edge[i]->from.row);
}

static void convict(struct nh_case *c, const struct nh_rule *r, struct nh_match *m, bool apart)
{
	struct nh_finding *f = nh_push(c->arena, &c->verdict.findings);
	int reached = m->repeated && apart ? NH_CONFIRMED : NH_LIKELY;

	nh_row_init(&nh_finding_type, f);
	f->id = r->id;
	fill_chain(c->arena, m, f);
	nh_for(l, &f->chain)
		if (l->inferred && reached > NH_LIKELY)
			reached = NH_LIKELY;
	f->confidence = reached < r->ceiling ? reached : r->ceiling;
	fill_victims(c->arena, m, f);
	for (const char *const *s = r->refutes; *s; s++)
		*nh_push(c->arena, &f->refutes) = *s;
	if (r->ceiling == NH_CONFIRMED && !m->repeated)
		nh_tell_unknown(c->arena, f, "%s",
			c->samples.n > 1 ? "the first sample does not show the same chain"
					 : "one sample only: whether this is a state or a moment");
	else if (r->ceiling == NH_CONFIRMED && !apart)
		nh_tell_unknown(c->arena, f,
			"the samples are less than 1 s apart: too short to call it a state");
	r->tell(c->arena, m, f);
	if (nh_starts_with(r->id, "nccl-"))
		nh_nccl_tell_ras(c->arena, c, f);
	if (r->covers)
		nh_tell_evidence(c->arena, f, "public reports of this shape: %s", r->covers);
}

static void rule_out(struct nh_case *c, const char *id, const char *why)
{
	nh_for(old, &c->verdict.ruled_out)
		if (!strcmp(old->id, id))
			return;
	/* "Nobody does" can only be said of what was seen. */
	nh_for(gap, &c->gaps)
		if (gap->needed) {
			why = nh_arena_printf(c->arena, "as far as could be seen, %s", why);
			break;
		}
	*nh_push(c->arena, &c->verdict.ruled_out) = (struct nh_ruled_out){ id, why };
}

/*
 * One rule on all samples.  The last one is told; an earlier one confirms it.  True if somebody
 * waits in the rule's way and the reason is not known.
 */
static bool apply(struct nh_case *c, const struct nh_rule *r, const struct nh_graph *g, size_t n)
{
	struct found last, first = { 0 };
	size_t reached;
	const char *missing = run(c->arena, r, &g[n - 1], &last, &reached);
	bool apart = n > 1 && c->samples.v[n - 1].at_ms - c->samples.v[0].at_ms >= APART_MS;

	if (n > 1)
		run(c->arena, r, &g[0], &first, NULL);
	nh_for(m, &last.matches) {
		m->repeated = nh_set_has(&first.signatures, signature(&m->path));
		convict(c, r, m, apart);
	}
	if (last.matches.n)
		return false;
	if (first.matches.n)
		rule_out(c, r->id, "seen in the first sample, gone in the second");
	else if (missing)
		rule_out(c, r->id, missing);
	return r->open_from && reached >= r->open_from;
}

static bool convicted(const struct nh_case *c, const char *id)
{
	nh_for(f, &c->verdict.findings)
		if (!strcmp(f->id, id))
			return true;
	return false;
}

static bool anything_alive(const struct nh_case *c)
{
	nh_for(p, &c->processes)
		if (!p->kthread && p->why != NH_WHY_ANCESTOR &&
			(!nh_streq(p->state, "Z") || p->nthreads > 1))
			return true;
	return false;
}

/* Found, but nothing hangs: the contract's `problem` ids. */
static bool is_problem(const char *id)
{
	static const char *const ids[] = { "straggler", "out-of-memory", "checkpoint-incomplete",
		"evidence-off" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (!strcmp(id, ids[i]))
			return true;
	return false;
}

static int status_of(const struct nh_case *c, bool open)
{
	int sure = 0;

	nh_for(f, &c->verdict.findings)
		if (f->confidence >= NH_LIKELY && sure != NH_HANG)
			sure = is_problem(f->id) ? NH_PROBLEM : NH_HANG;
	if (sure)
		return sure;
	if (c->verdict.findings.n || open)
		return NH_INCONCLUSIVE;
	nh_for(gap, &c->gaps)
		if (gap->needed)
			return NH_INCONCLUSIVE;
	return anything_alive(c) || c->rank_groups.n || c->log_files.n || c->checkpoints.n ||
			       c->checks.n
		       ? NH_NO_HANG
		       : NH_NOTHING_TO_INSPECT;
}

/* A teardown joins a thread of which neither wait nor stack could be read: rules that would look at
 * its stack have not seen it. */
static bool joins_unseen(const struct nh_graph *g)
{
	nh_for(e, &g->edges) {
		const struct nh_thread *t = e->to.row;

		if (e->kind == NH_EDGE_JOINS && t->running && t->stack == NH_UNKNOWN &&
			(nh_nccl_tears_down(g, e->from.row) ||
				nh_on_stack(g, e->from.row, NH_TD_SERVICE)))
			return true;
	}
	return false;
}

void nh_analyse(struct nh_case *c)
{
	size_t n = c->samples.n;
	struct nh_graph *g = nh_new(c->arena, struct nh_graph, n + 1);
	bool open = false;

	memset(&c->verdict, 0, sizeof(c->verdict));
	for (size_t i = 0; i < n; i++)
		nh_graph_build(c->arena, c, c->samples.v[i].sample, &g[i]);
	for (size_t i = 0; n && i < sizeof(rules) / sizeof(*rules); i++)
		if (!convicted(c, rules[i]->id))
			open |= apply(c, rules[i], g, n);
	open |= n && joins_unseen(&g[n - 1]);
	nh_gpu_analyse(c);

	size_t of_threads = c->verdict.findings.n;

	if (n) {
		/* What ranks wait for may be held up by what is found already. */
		nh_story(c, &g[n - 1], 0);
		nh_live_analyse(c->arena, &c->verdict, &g[n - 1]);
	}
	nh_flight_analyse(c);
	nh_checkpoint_analyse(c);
	nh_log_analyse(c);
	if (n) {
		nh_memory_analyse(c, &g[n - 1]);
		nh_kernel_log_analyse(c, &g[n - 1]);
		nh_story(c, &g[n - 1], of_threads);
	}
	nh_checks_analyse(c);

	/* A rule that convicts in one form is not ruled out in another. */
	size_t kept = 0;

	nh_for(r, &c->verdict.ruled_out)
		if (!convicted(c, r->id))
			c->verdict.ruled_out.v[kept++] = *r;
	c->verdict.ruled_out.n = kept;
	nh_supersede(c);
	nh_join_findings(c);
	nh_rank_findings(&c->verdict);
	c->verdict.status = status_of(c, open);
}

int nh_verdict_exit(const struct nh_verdict *v)
{
	nh_for(f, &v->findings)
		if (f->confidence >= NH_LIKELY)
			return 1;
	return v->status == NH_INCONCLUSIVE ? 2 : 0;
}
