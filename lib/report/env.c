/* Which NCCL with which settings: equal values of many ranks are one row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "rules/nccl_version.h"
#include "rules/rule.h"
#include "base/str.h"
#include "know/nccl_env.h"
#include "know/nccl_versions.h"
#include "report/words.h"

/* One value of one variable, and who has it. */
struct setting {
	const char *name, *value;
	NH_VEC(int64_t) ranks;
	NH_VEC(int64_t) pids; /* of those without a rank */
};

struct settings {
	struct nh_arena *a;
	NH_VEC(struct setting) libraries; /* NCCLs: value is which */
	NH_VEC(struct setting) list;
	struct setting all; /* everybody */
	int64_t newest;	    /* version of NCCL; NH_UNKNOWN */
	bool torch;	    /* somebody maps PyTorch */
};

static void add_once(struct nh_arena *a, struct nh_vec *list, int64_t n)
{
	const int64_t *v = list->v;

	for (size_t i = 0; i < list->n; i++)
		if (v[i] == n)
			return;
	*(int64_t *)nh_vec_push(a, list, sizeof(n)) = n;
}

static void add_owner(struct nh_arena *a, struct setting *s, const struct nh_process *p)
{
	int64_t rank = nh_rank_of(p);

	if (rank != NH_UNKNOWN)
		add_once(a, (struct nh_vec *)&s->ranks, rank);
	else
		add_once(a, (struct nh_vec *)&s->pids, p->pid);
}

static void add(struct nh_arena *a, struct nh_vec *list, const struct nh_process *p,
	const char *name, const char *value)
{
	struct setting *old = list->v, *found = NULL;

	for (size_t i = 0; i < list->n && !found; i++)
		if (!strcmp(old[i].name, name) && !strcmp(old[i].value, value))
			found = &old[i];
	if (!found) {
		found = nh_vec_push(a, list, sizeof(*found));
		found->name = name;
		found->value = value;
	}
	add_owner(a, found, p);
}

static bool add_modules(struct settings *s, const struct nh_case *c, const struct nh_process *p)
{
	bool any = false;

	nh_for(m, &c->modules) {
		int64_t version;

		if (m->pid != p->pid)
			continue;
		s->torch |= m->path && strstr(m->path, "/libtorch");
		if (!m->nccl)
			continue;
		any = true;
		version = nh_nccl_version_parse(m->nccl);
		s->newest = version > s->newest ? version : s->newest;
		add(s->a, (struct nh_vec *)&s->libraries, p, "", nh_nccl_module_words(s->a, m));
	}
	return any;
}

/* Ranks: what maps an NCCL, or was asked for and has settings of one. */
static void add_process(struct settings *s, const struct nh_case *c, const struct nh_process *p)
{
	bool rank = add_modules(s, c, p);

	if (!rank && p->why != NH_WHY_TARGET && p->why != NH_WHY_FOUND)
		return;
	nh_for(e, &p->env) {
		const char *eq = strchr(*e, '=');

		if (!eq || !nh_nccl_var_shown(*e))
			continue;
		add(s->a, (struct nh_vec *)&s->list, p,
			nh_arena_strndup(s->a, *e, (size_t)(eq - *e)), eq + 1);
		rank = true;
	}
	if (rank)
		add_owner(s->a, &s->all, p);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* "0-3, 7" */
static const char *ranges(struct nh_arena *a, int64_t *v, size_t n)
{
	const char *s = "";

	if (n)
		qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end] == v[end - 1] + 1; end++)
			;
		s = nh_join(a, s,
			end - i < 3 ? nh_arena_printf(a, "%" PRId64, v[i])
				    : nh_arena_printf(a, "%" PRId64 "-%" PRId64, v[i], v[end - 1]));
		end = end - i < 3 ? i + 1 : end;
	}
	return s;
}

static const char *owners(struct nh_arena *a, const struct setting *s, const struct setting *all)
{
	const char *words = "";

	if (s->ranks.n == all->ranks.n && s->pids.n == all->pids.n && s->ranks.n + s->pids.n > 1)
		return "all";
	if (s->ranks.n)
		words = nh_arena_printf(a, "rank %s", ranges(a, s->ranks.v, s->ranks.n));
	if (s->pids.n)
		words = nh_join(
			a, words, nh_arena_printf(a, "pid %s", ranges(a, s->pids.v, s->pids.n)));
	return words;
}

static int by_name(const void *a, const void *b)
{
	const struct setting *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : strcmp(x->value, y->value);
}

static void table(struct nh_doc *d, struct settings *s)
{
	static const char *const heads[] = { "variable", "of", "value", NULL };
	struct nh_block *t;

	if (!s->list.n)
		return;
	qsort(s->list.v, s->list.n, sizeof(*s->list.v), by_name);
	t = nh_doc_table(d, 0, heads);
	nh_for(set, &s->list) {
		struct nh_row *row = nh_doc_row(d, t);

		row->cells[0] = nh_doc_cell(d, "%s", set->name);
		row->cells[1] = owners(d->arena, set, &s->all);
		row->cells[2] = nh_doc_cell(d, "%s", set->value);
	}
}

static void meanings(struct nh_doc *d, const struct settings *s)
{
	const struct nh_nccl_var *before = NULL;

	nh_for(set, &s->list) {
		const struct nh_nccl_var *var = nh_nccl_var(set->name);

		if (var && var != before)
			nh_doc_def(d, var->name, "%s; unset: %s", var->meaning, var->unset);
		before = var;
	}
}

static bool is_set(const struct settings *s, const char *name)
{
	nh_for(set, &s->list)
		if (!strcmp(set->name, name))
			return true;
	return false;
}

static void missed(struct nh_doc *d, const struct settings *s)
{
	for (const struct nh_nccl_var *v = nh_nccl_vars; v->name; v++)
		if (v->missed && !is_set(s, v->name) &&
			(s->torch || !nh_starts_with(v->name, "TORCH_")) &&
			(s->newest == NH_UNKNOWN || s->newest >= v->since))
			nh_doc_printf(d, NH_B_ITEM, "%s is unset: %s", v->name, v->missed);
}

void nh_words_settings(struct nh_doc *d, const struct nh_view *v)
{
	struct settings s = { .a = d->arena, .newest = NH_UNKNOWN };

	for (size_t i = 0; i < v->n; i++) {
		const struct nh_case *c = v->cases[i];
		int64_t last = nh_last_sample(c);

		nh_for(p, &c->processes)
			if (p->sample == last && p->why != NH_WHY_ANCESTOR)
				add_process(&s, c, p);
	}
	if (!s.list.n && !s.libraries.n)
		return;
	nh_doc_detail(d, "NCCL environment");
	nh_for(lib, &s.libraries)
		nh_doc_def(d, owners(d->arena, lib, &s.all), "%s", lib->value);
	table(d, &s);
	if (v->all || v->verbose)
		meanings(d, &s);
	missed(d, &s);
	nh_doc_add(d, NH_B_PARA,
		"Variables as each process was started with them: what it set later (setenv) and what "
		"nccl.conf says is not seen.");
}
