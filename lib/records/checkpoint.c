#include "records/checkpoint.h"

#include <inttypes.h>
#include "rules/rule.h"
#include "know/checkpoint.h"

enum {
	SHOWN = 4,   /* checkpoints told of in one finding */
	REASONS = 6, /* of one checkpoint */
	FRESH_MS = 600000,
	LACKS_SURE = 3, /* states besides model and optimizer, from which on nobody needs none */
};

struct checkpoints {
	const struct nh_checkpoint **v;
	size_t n, cap;
};

static bool needed(const struct nh_checkpoint *k, int state)
{
	/* Without a GPU at work CUDA's generators have nothing to be restored. */
	return state != NH_CKPT_CUDA_RNG || k->cuda;
}

static bool lacks(const struct nh_checkpoint *k, int state)
{
	return needed(k, state) &&
	       (k->state[state] == NH_ABSENT ||
		       (state == NH_CKPT_CUDA_RNG && k->state[state] == NH_EMPTY));
}

static size_t count_lacks(const struct nh_checkpoint *k)
{
	size_t n = 0;

	for (int i = 0; i < NH_CKPT_STATES; i++)
		n += lacks(k, i);
	return n;
}

/* With the step, a position in the data can be counted: that alone missing convicts nobody. */
static bool convicts(const struct nh_checkpoint *k)
{
	size_t n = count_lacks(k);

	return n > 1 || (n == 1 && !(lacks(k, NH_CKPT_DATA) && k->progress == NH_PRESENT));
}

/* That a state is absent is a fact; that the job has it is not: a run may have no schedule. */
static int confidence(const struct nh_checkpoint *k)
{
	return lacks(k, NH_CKPT_MODEL) || lacks(k, NH_CKPT_OPTIMIZER) ||
			       count_lacks(k) >= LACKS_SURE
		       ? NH_LIKELY
		       : NH_POSSIBLE;
}

static bool weights_only(const struct nh_checkpoint *k)
{
	for (int i = NH_CKPT_OPTIMIZER; i < NH_CKPT_STATES; i++)
		if (k->state[i] == NH_PRESENT)
			return false;
	return k->model == NH_PRESENT;
}

static const char *lacks_words(struct nh_arena *a, const struct nh_checkpoint *k)
{
	const char *s = "";
	size_t n = count_lacks(k);

	for (int i = 0; i < NH_CKPT_STATES; i++)
		if (lacks(k, i))
			s = nh_arena_printf(a, "%s%s%s", s,
				!*s	 ? ""
				: n == 1 ? " and "
					 : ", ",
				nh_ckpt_state_words((enum nh_ckpt_state)i)),
			n--;
	return s;
}

/* The newest first. */
static void add(struct nh_arena *a, struct checkpoints *all, const struct nh_checkpoint *k)
{
	size_t i = all->n;

	*nh_push(a, all) = k;
	for (; i && all->v[i - 1]->done_ms < k->done_ms; i--)
		all->v[i] = all->v[i - 1];
	all->v[i] = k;
}

static struct nh_finding *begin(struct nh_case *c, int sure)
{
	struct nh_finding *f =
		nh_row_push(c->arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

	f->id = "checkpoint-incomplete";
	f->confidence = sure;
	return f;
}

static const char *more(struct nh_arena *a, const struct checkpoints *all)
{
	return all->n > 1 ? nh_arena_printf(a, "; %zu more alike", all->n - 1) : "";
}

static void tell_rest(struct nh_arena *a, struct nh_finding *f, const struct checkpoints *all)
{
	if (all->n > SHOWN)
		nh_tell_evidence(a, f, "%zu more, not told here", all->n - SHOWN);
}

/* What to fall back to: the newest that has everything. */
static void tell_fallback(struct nh_case *c, struct nh_finding *f)
{
	const struct nh_checkpoint *best = NULL;

	nh_for(k, &c->checkpoints)
		if (!k->torn.n && !convicts(k) && k->optimizer == NH_PRESENT &&
			(!best || k->done_ms > best->done_ms))
			best = k;
	if (best)
		nh_tell_remedy(c->arena, f,
			nh_arena_printf(c->arena, "resume from %s, which is whole",
				nh_ckpt_name_words(c->arena, best)),
			NULL);
}

static void tell_torn(struct nh_case *c, const struct checkpoints *all)
{
	struct nh_arena *a = c->arena;
	const struct nh_checkpoint *newest = all->v[0];
	struct nh_finding *f = begin(c, NH_LIKELY);

	f->title = nh_arena_printf(a, "%s is torn: %s%s", nh_ckpt_name_words(a, newest),
		newest->torn.v[0], more(a, all));
	for (size_t i = 0; i < all->n && i < SHOWN; i++)
		for (size_t j = 0; j < all->v[i]->torn.n && j < REASONS; j++)
			nh_tell_evidence(a, f, "%s: %s", nh_ckpt_name_words(a, all->v[i]),
				all->v[i]->torn.v[j]);
	tell_rest(a, f, all);
	if (newest->done_ms != NH_UNKNOWN && newest->read_ms - newest->done_ms < FRESH_MS)
		nh_tell_unknown(a, f,
			"its last file was written %.0f s before it was read: a save that still runs "
			"looks the same",
			(double)(newest->read_ms - newest->done_ms) / 1000);
	*nh_push(a, &f->refutes) = "the same files whole, later or where they were written";
	tell_fallback(c, f);
	nh_tell_remedy(a, f,
		"let a checkpoint count only once it is whole: write to a new name and rename it last, "
		"as torch.distributed.checkpoint does with .metadata; keep the one before until then",
		NULL);
	nh_tell_remedy(a, f,
		"with asynchronous saves, one in flight: wait for the last one's result before the "
		"next, and before the job ends",
		"pending.result()");
}

static void tell_states(struct nh_arena *a, struct nh_finding *f, const struct nh_checkpoint *k)
{
	const char *found = "";

	nh_tell_evidence(a, f, "%s (%s, %s) lacks %s", nh_ckpt_name_words(a, k),
		nh_ckpt_layout_words(k->layout), nh_bytes_words(a, k->bytes), lacks_words(a, k));
	nh_for(s, &k->found)
		found = nh_arena_printf(a, "%s%s%s", found, *found ? "; " : "", *s);
	if (*found)
		nh_tell_evidence(a, f, "found in it: %s", found);
}

static void tell_thin(struct nh_case *c, const struct checkpoints *all)
{
	struct nh_arena *a = c->arena;
	const struct nh_checkpoint *newest = all->v[0];
	struct nh_finding *f = begin(c, confidence(newest));

	if (weights_only(newest))
		f->title = nh_arena_printf(a,
			"%s holds weights only: resuming from it is a restart on a warm model%s",
			nh_ckpt_name_words(a, newest), more(a, all));
	else
		f->title = nh_arena_printf(a, "%s cannot resume the run: it lacks %s%s",
			nh_ckpt_name_words(a, newest), lacks_words(a, newest), more(a, all));
	for (size_t i = 0; i < all->n && i < SHOWN; i++)
		tell_states(a, f, all->v[i]);
	tell_rest(a, f, all);
	nh_tell_unknown(a, f,
		"whether it was meant for resuming, and whether the job has each of these: a run "
		"without a schedule saves none");
	*nh_push(a, &f->refutes) = "the missing states in other files, which were not given";
	tell_fallback(c, f);
	nh_tell_remedy(a, f,
		"save the application's state, not the model: model, optim, scheduler, loader "
		"(torchdata's StatefulDataLoader), rng (CPU and CUDA), step, sharded by "
		"torch.distributed.checkpoint. Price: an Adam optimizer doubles or triples the size",
		"dcp.save({\"app\": AppState(model, optim), \"scheduler\": sched.state_dict(), "
		"\"loader\": loader.state_dict(), \"rng\": {\"cpu\": torch.get_rng_state(), \"cuda\": "
		"torch.cuda.get_rng_state_all()}, \"step\": step}, checkpoint_id=path)");
	nh_tell_remedy(a, f,
		"if saving is what costs, save asynchronously, one in flight. Price: host memory as "
		"large as the checkpoint",
		"pending = dcp.async_save(state, checkpoint_id=path)");
}

void nh_checkpoint_analyse(struct nh_case *c)
{
	struct checkpoints torn = { 0 }, thin = { 0 };

	nh_for(k, &c->checkpoints) {
		if (k->torn.n)
			add(c->arena, &torn, k);
		else if (convicts(k))
			add(c->arena, &thin, k);
	}
	if (torn.n)
		tell_torn(c, &torn);
	if (thin.n)
		tell_thin(c, &thin);
	if (c->checkpoints.n && !torn.n && !thin.n)
		*nh_push(c->arena,
			&c->verdict.ruled_out) = (struct nh_ruled_out){ "checkpoint-incomplete",
			nh_arena_printf(c->arena,
				"%zu checkpoint%s looked at: whole, with what a resume needs; what is "
				"in each is told above",
				c->checkpoints.n, c->checkpoints.n == 1 ? "" : "s") };
}
