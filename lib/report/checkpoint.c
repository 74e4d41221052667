#include <inttypes.h>
#include "records/checkpoint.h"
#include "know/checkpoint.h"
#include "report/words.h"

#define CHECKPOINTS_SHOWN 8

static const char *states(struct nh_doc *d, const struct nh_checkpoint *k, int presence)
{
	const char *s = "";

	for (int i = 0; i < NH_CKPT_STATES; i++)
		if (k->state[i] == presence)
			s = nh_join(d->arena, s, nh_ckpt_state_words((enum nh_ckpt_state)i));
	return s;
}

static void part(struct nh_doc *d, const struct nh_checkpoint *k, int presence, const char *word)
{
	const char *s = states(d, k, presence);

	if (*s)
		nh_doc_def(d, word, "%s", s);
}

/* What an asynchronous save would need: all of it at once in host memory. */
static void memory(struct nh_doc *d, const struct nh_checkpoint *k)
{
	bool room = k->mem_room != NH_UNKNOWN &&
		    (k->mem_available == NH_UNKNOWN || k->mem_room < k->mem_available);
	int64_t have = room ? k->mem_room : k->mem_available;

	if (have == NH_UNKNOWN || k->bytes == NH_UNKNOWN)
		return;
	nh_doc_def(d, "async save", "copies all of it to host memory first: %s, of %s %s%s",
		nh_bytes_words(d->arena, k->bytes), nh_bytes_words(d->arena, have),
		room ? "left in the control group of this report" : "available where it was read",
		k->bytes > have ? ": TOO MUCH for one host" : "");
}

static void one(struct nh_doc *d, const struct nh_view *v, const struct nh_checkpoint *k)
{
	const char *step =
		k->step == NH_UNKNOWN ? "" : nh_arena_printf(d->arena, ", step %" PRId64, k->step);

	nh_doc_printf(d, NH_B_ITEM, "%s: %s%s, %s in %" PRId64 " file%s%s",
		nh_ckpt_name_words(d->arena, k), nh_ckpt_layout_words(k->layout), step,
		nh_bytes_words(d->arena, k->bytes), k->files, k->files == 1 ? "" : "s",
		k->torn.n ? ", torn" : ", whole");
	part(d, k, NH_PRESENT, "present");
	part(d, k, NH_EMPTY, "empty");
	part(d, k, NH_ABSENT, "absent");
	part(d, k, 0, "unknown");
	memory(d, k);
	if (v->all || v->verbose)
		nh_for(s, &k->found)
			nh_doc_def(d, "found", "%s", *s);
}

void nh_words_checkpoints(struct nh_doc *d, const struct nh_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct nh_case *c = v->cases[i];
		size_t n = c->checkpoints.n;
		size_t shown = v->all || n <= CHECKPOINTS_SHOWN ? n : CHECKPOINTS_SHOWN;

		if (!n && !c->save_costs.n)
			continue;
		nh_doc_add(d, NH_B_HEADING, "Checkpoints");
		for (size_t j = 0; j < shown; j++)
			one(d, v, &c->checkpoints.v[j]);
		if (shown < n)
			nh_doc_printf(d, NH_B_PARA, "%zu further checkpoints (--all shows them)",
				n - shown);
		nh_words_cadence(d, c);
	}
}
