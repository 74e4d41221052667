/* The GPUs: what is off with one, a line each; all of them as a table with --all. */
#include <inttypes.h>
#include "rules/gpu.h"
#include "rules/rule.h"
#include "know/gpu.h"
#include "report/words.h"

#define LINES_SHOWN 16

/* A kernel that computes draws most of what it may; one that only waits does not. */
enum { BUSY_PERCENT = 99, IDLE_POWER_PERCENT = 33 };

static const char *user_words(struct nh_arena *a, const struct nh_case *c, const struct nh_gpu *g)
{
	struct nh_gpu_users users;
	const char *s = "";

	nh_gpu_users_of(a, c, g, &users);
	nh_for(u, &users) {
		int64_t rank = nh_rank_of(u->p);

		s = nh_join(a, s,
			nh_arena_printf(a, "%s%" PRId64 "%s", rank != NH_UNKNOWN ? "rank " : "pid ",
				rank != NH_UNKNOWN ? rank : u->p->pid, u->driver ? "" : "?"));
	}
	return s;
}

static bool used(struct nh_arena *a, const struct nh_case *c, const struct nh_gpu *g)
{
	return *user_words(a, c, g);
}

/* What its work looks like; NULL = nothing strange. */
static const char *work_words(struct nh_arena *a, const struct nh_gpu *g)
{
	if (g->gpu_util_percent == 0)
		return "not computing";
	if (g->gpu_util_percent >= BUSY_PERCENT && g->power_mw >= 0 && g->power_limit_mw > 0 &&
		g->power_mw < g->power_limit_mw / 100 * IDLE_POWER_PERCENT)
		return nh_arena_printf(a,
			"%" PRId64 " %% busy at %" PRId64 " of %" PRId64
			" W: a kernel that spins, as one that waits in a collective does (inferred)",
			g->gpu_util_percent, g->power_mw / 1000, g->power_limit_mw / 1000);
	return NULL;
}

static const char *add(struct nh_arena *a, const char *s, bool off, const char *what)
{
	return off && what ? nh_join(a, s, what) : s;
}

static const char *throttle_words(struct nh_arena *a, const struct nh_gpu *g)
{
	const char *s = NULL;

	nh_for(name, &g->throttle) {
		const struct nh_throttle *t = nh_throttle(*name);

		if (t && t->bad)
			s = nh_arena_printf(a, "%s%s%s (%s)", s ? s : "throttled: ", s ? ", " : "",
				t->name, t->meaning);
	}
	return s;
}

static const char *off_words(struct nh_arena *a, const struct nh_case *c, const struct nh_gpu *g)
{
	static const char *const troubles[] = { [NH_GPU_LOST] = "lost",
		[NH_GPU_RESET] = "requires a reset",
		[NH_GPU_SILENT] = "silent",
		[NH_GPU_UNREADABLE] = "cannot be read" };
	const char *s = "";

	if (g->trouble)
		s = nh_arena_printf(a, "%s%s%s", troubles[g->trouble], g->error ? ": " : "",
			g->error ? g->error : "");
	s = add(a, s, true, throttle_words(a, g));
	s = add(a, s, g->slowdown_c > 0 && g->temperature_c >= g->slowdown_c,
		nh_arena_printf(a, "%" PRId64 " C, slows down from %" PRId64 " C on",
			g->temperature_c, g->slowdown_c));
	s = add(a, s, g->pcie_width > 0 && g->pcie_width < g->pcie_width_max,
		nh_arena_printf(
			a, "PCIe x%" PRId64 " of x%" PRId64, g->pcie_width, g->pcie_width_max));
	s = add(a, s, g->remap_failed, "a row of its memory could not be remapped: to be replaced");
	s = add(a, s, g->remap_pending || g->retired_pending,
		"memory is to be remapped at its next reset");
	s = add(a, s, g->ecc_uncorrected > 0,
		nh_arena_printf(a,
			"%" PRId64 " uncorrected memory errors since the driver was loaded",
			g->ecc_uncorrected));
	return add(a, s, !g->trouble && used(a, c, g), work_words(a, g));
}

/* "95/700" in that unit, "95" where there is no limit. */
static const char *of(struct nh_doc *d, int64_t v, int64_t max, int64_t unit)
{
	if (v == NH_UNKNOWN)
		return "";
	if (max == NH_UNKNOWN)
		return nh_doc_cell(d, "%" PRId64, v / unit);
	return nh_doc_cell(d, "%" PRId64 "/%" PRId64, v / unit, max / unit);
}

static void table(struct nh_doc *d, const struct nh_case *c)
{
	static const char *const heads[] = { "gpu", "busy", "W", "C", "MHz", "GiB", "PCIe",
		"used by", NULL };
	struct nh_block *t = nh_doc_table(d, 0x7f, heads);

	nh_for(g, &c->gpus) {
		struct nh_row *row = nh_doc_row(d, t);

		row->cells[0] = of(d, g->index, NH_UNKNOWN, 1);
		row->cells[1] = of(d, g->gpu_util_percent, NH_UNKNOWN, 1);
		row->cells[2] = of(d, g->power_mw, g->power_limit_mw, 1000);
		row->cells[3] = of(d, g->temperature_c, g->slowdown_c, 1);
		row->cells[4] = of(d, g->sm_clock_mhz, g->sm_clock_max_mhz, 1);
		row->cells[5] = of(d, g->mem_used_bytes, g->mem_total_bytes, 1 << 30);
		row->cells[6] = of(d, g->pcie_width, g->pcie_width_max, 1);
		row->cells[7] = nh_doc_cell(d, "%s", user_words(d->arena, c, g));
	}
}

static const char *clock_words(struct nh_arena *a, const struct nh_gpu *g)
{
	const char *s = "";

	nh_for(name, &g->throttle)
		s = nh_join(a, s, *name);
	return *s ? nh_arena_printf(a, ", clocks: %s", s) : "";
}

/* What the table has no room for. */
static void names(struct nh_doc *d, const struct nh_case *c)
{
	nh_for(g, &c->gpus) {
		const char *gen = of(d, g->pcie_gen, g->pcie_gen_max, 1);

		nh_doc_printf(d, NH_B_ITEM, "%s%s%s%s%s%s%s%s", nh_gpu_name(d->arena, g),
			g->driver ? ", driver " : "", g->driver ? g->driver : "",
			g->persistence ? ", persistent" : "", g->mig ? ", MIG" : "",
			*gen ? ", PCIe generation " : "", gen, clock_words(d->arena, g));
	}
}

static void host(struct nh_doc *d, const struct nh_view *v, const struct nh_case *c)
{
	const char *on = v->n > 1 && c->host ? nh_arena_printf(d->arena, " on %s", c->host) : "";
	size_t shown = 0, more = 0;

	nh_for(g, &c->gpus) {
		const char *off = off_words(d->arena, c, g), *of_whom;

		if (!*off)
			continue;
		if (!shown)
			nh_doc_printf(d, NH_B_HEADING, "GPUs%s", on);
		if (!v->all && shown >= LINES_SHOWN) {
			more++;
			continue;
		}
		shown++;
		of_whom = user_words(d->arena, c, g);
		nh_doc_printf(d, NH_B_ITEM, "%s%s%s: %s", nh_gpu_name(d->arena, g),
			*of_whom ? ", " : "", of_whom, off);
	}
	if (more)
		nh_doc_printf(d, NH_B_PARA, "%zu GPUs more (--all shows them)", more);
	if (!v->tables || !c->gpus.n)
		return;
	nh_doc_detail(
		d, "Every GPU%s (? = by its environment or open files, not by the driver)", on);
	table(d, c);
	names(d, c);
}

void nh_words_gpus(struct nh_doc *d, const struct nh_view *v)
{
	for (size_t i = 0; i < v->n; i++)
		host(d, v, v->cases[i]);
}
