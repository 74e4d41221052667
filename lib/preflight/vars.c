#include <string.h>
#include "base/str.h"
#include "know/evidence_env.h"
#include "preflight/internal.h"

/* A variable under the names that this PyTorch reads. */
struct reading {
	const char *name, *value; /* value NULL = unset */
	const char *unset;	  /* its default, the worse one if the version is not known */
	const char *command;
};

static struct reading read_var(const struct nh_flying *f, const struct nh_evidence_var *v)
{
	bool old = f->torch == NH_UNKNOWN || f->torch < NH_TORCH_NEW;
	bool fresh = f->torch == NH_UNKNOWN || f->torch > NH_TORCH_OLD;
	struct reading r = { .name = fresh || !v->old ? v->name : v->old };

	r.unset = old ? v->unset_old : v->unset_new;
	r.value = nh_flying_env(f, r.name);
	/* Newer versions read the old name as well. */
	for (size_t i = 0; i < 2 && !r.value; i++) {
		const char *name = i ? v->alias : v->old;

		r.value = name ? nh_flying_env(f, name) : NULL;
		r.name = r.value ? name : r.name;
	}
	r.command = !v->old || !old ? nh_arena_printf(f->a, "export %s=%s", v->name, v->want)
		    : fresh	    ? nh_arena_printf(
					      f->a, "export %s=%s %s=%s", v->name, v->want, v->old, v->want)
			    : nh_arena_printf(f->a, "export %s=%s", v->old, v->want);
	return r;
}

/* "TORCH_DISTRIBUTED_DEBUG=DETAIL" is in the environment. */
static bool also(const struct nh_flying *f, const char *entry)
{
	const char *eq = entry ? strchr(entry, '=') : NULL;

	return eq && nh_streq(nh_flying_env(f, nh_arena_strndup(f->a, entry, (size_t)(eq - entry))),
			     eq + 1);
}

static void check(struct nh_flying *f, const struct nh_evidence_var *v)
{
	struct reading r = read_var(f, v);
	bool instead = !r.value && also(f, v->also);
	bool on = instead || nh_evidence_is_on(v, r.value ? r.value : r.unset);
	enum nh_check_state state = on ? NH_CHECK_FINE : v->advice ? NH_CHECK_ADVICE : NH_CHECK_OFF;
	struct nh_check *c;

	if (instead)
		c = nh_check_add(f, state, v->topic, "%s", v->also);
	else if (r.value)
		c = nh_check_add(f, state, v->topic, "%s=%s", r.name, r.value);
	else
		c = nh_check_add(f, state, v->topic, "%s is unset%s%s", r.name,
			!*r.unset ? ""
			: v->unset_old == v->unset_new || f->torch != NH_UNKNOWN ||
					!strcmp(v->unset_old, v->unset_new)
				? ": the default is "
				: ": the default of PyTorch 2.6 is ",
			r.unset);
	if (on)
		return;
	c->why = v->why;
	c->cost = v->cost;
	c->command = r.command;
}

void nh_check_vars(struct nh_flying *f)
{
	if (f->torch != NH_UNKNOWN)
		nh_check_add(f, NH_CHECK_FINE, "PyTorch", "%jd.%jd.%jd",
			(intmax_t)(f->torch / 10000), (intmax_t)(f->torch / 100 % 100),
			(intmax_t)(f->torch % 100));
	else
		nh_check_add(f, NH_CHECK_UNKNOWN, "PyTorch",
			"its version is not known: variables are told under the names of 2.6 and of "
			"newer versions");
	for (const struct nh_evidence_var *v = nh_evidence_vars; v->topic; v++)
		check(f, v);
}
