#include <inttypes.h>
#include "records/checkpoint.h"
#include "report/words.h"

#define DAY_S 86400.0
/* Llama 3: 419 interruptions in 54 days. */
#define LLAMA_S 11135.0

/* A cadence in seconds; 0 = unknown. */
struct pace {
	double interval, write, block, step, mtbf;
};

static double seconds(int64_t us)
{
	return us == NH_UNKNOWN ? 0 : (double)us / 1e6;
}

/* By Newton's way, so that one number does not bring in libm. */
static double root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; i < 64; i++)
		r = (r + x / r) / 2;
	return r;
}

/* "4 saves, one every 900 s" or "One save every 1000 steps x 0.900 s = 900 s" */
static const char *how_often(struct nh_doc *d, const struct nh_cadence *cad, const struct pace *p)
{
	if (cad->training)
		return nh_arena_printf(d->arena,
			"One save every %" PRId64 " steps x %.3f s = %.0f s of training",
			cad->every, p->step, p->interval);
	if (cad->saves)
		return nh_arena_printf(
			d->arena, "%" PRId64 " saves, one every %.0f s", cad->saves, p->interval);
	return nh_arena_printf(d->arena, "One save every %.0f s", p->interval);
}

static void risk(struct nh_doc *d, const struct nh_cadence *cad, const struct pace *p)
{
	const char *often = how_often(d, cad, p);

	if (!p->write) {
		nh_doc_printf(d, NH_B_PARA,
			"%s: a crash costs up to %.0f s of work, %.0f s on average.", often,
			p->interval, p->interval / 2);
		return;
	}
	nh_doc_printf(d, NH_B_PARA,
		"%s, each written in %.1f s: a crash costs up to %.0f + %.1f = %.0f s of work, "
		"%.0f / 2 + %.1f = %.0f s on average.",
		often, p->write, p->interval, p->write, p->interval + p->write, p->interval,
		p->write, p->interval / 2 + p->write);
	if (p->write > p->interval)
		nh_doc_add(d, NH_B_PARA,
			"Writing takes longer than the interval: saves queue, or block the training.");
}

/* What one save takes from the training, of the time it comes round in. */
static double share(const struct nh_cadence *cad, double cost, double interval)
{
	return cost / (interval + (cad->training ? cost : 0));
}

static void price(struct nh_doc *d, const struct nh_cadence *cad, const struct pace *p)
{
	double cost = p->block ? p->block : p->write;
	const char *all = cad->training
				  ? nh_arena_printf(d->arena, "(%.0f + %.1f)", p->interval, cost)
				  : nh_arena_printf(d->arena, "%.0f", p->interval);

	nh_doc_printf(d, NH_B_PARA, "%s: %.1f / %s = %.1f %% of the time.",
		p->block
			? nh_arena_printf(d->arena, "A save holds up the training for %.1f s", cost)
			: "If a save holds up the training while it is written",
		cost, all, 100 * share(cad, cost, p->interval));
}

/* Saving too often costs saves, too seldom costs work done again: both, in percent. */
static double lost(const struct nh_cadence *cad, const struct pace *p, double cost, double interval)
{
	return 100 * (share(cad, cost, interval) + (interval / 2 + p->write) / p->mtbf);
}

static void told_optimum(struct nh_doc *d, const struct nh_cadence *cad, const struct pace *p)
{
	double cost = p->block ? p->block : p->write, best = root(2 * cost * p->mtbf);

	nh_doc_printf(d, NH_B_PARA,
		"The interval that loses least (Young) at one failure in %.1f hours: "
		"sqrt(2 x %.1f s x %.0f s) = %.0f s%s.",
		p->mtbf / 3600, cost, p->mtbf, best,
		p->step ? nh_arena_printf(d->arena, ", %.0f steps", best / p->step) : "");
	if (p->interval)
		nh_doc_printf(d, NH_B_PARA,
			"Saves and work done again then take %.1f %% of the time, at %.0f s they "
			"take %.1f %%.",
			lost(cad, p, cost, best), p->interval, lost(cad, p, cost, p->interval));
}

static void optimum(struct nh_doc *d, const struct nh_cadence *cad, const struct pace *p)
{
	double cost = p->block ? p->block : p->write;

	if (p->mtbf) {
		told_optimum(d, cad, p);
		return;
	}
	nh_doc_printf(d, NH_B_PARA,
		"The interval that loses least (Young) is sqrt(2 x %.1f s x MTBF): %.0f s at one "
		"failure a day, %.0f s at one in 3.1 hours (Llama 3 on 16,384 GPUs).",
		cost, root(2 * cost * DAY_S), root(2 * cost * LLAMA_S));
}

void nh_words_cadence(struct nh_doc *d, const struct nh_case *c)
{
	struct nh_cadence cad;
	struct pace p;

	if (!nh_cadence_of(c, &cad))
		return;
	p = (struct pace){ seconds(cad.interval_us), seconds(cad.write_us), seconds(cad.block_us),
		seconds(cad.step_us), seconds(cad.mtbf_us) };
	if (p.interval)
		risk(d, &cad, &p);
	if (p.interval && (p.block || p.write))
		price(d, &cad, &p);
	if (p.block || p.write)
		optimum(d, &cad, &p);
}
