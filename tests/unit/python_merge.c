/* Native and Python frames as one stack, by anchors and by name. */
#include "tap.h"
#include "python/merge.h"
#include "stack/symbol.h"

static struct nh_arena arena;
static const struct nh_symbol eval = { .name = "_PyEval_EvalFrameDefault" };
static const struct nh_symbol cold = { .name = "_PyEval_EvalFrameDefault.cold" };
static const struct nh_symbol inlined = { .name = "helper", .inlined = true, .outer = &eval };
static const struct nh_symbol near = { .name = "_PyEval_EvalFrameDefault", .nearest = true };
static const struct nh_symbol other = { .name = "_PyEval_EvalFrameDefaultX" };

/* A walk of n frames, 0x100 bytes each. */
static struct nh_walk walk_of(size_t n, bool complete)
{
	struct nh_walk w = { .v = nh_new(&arena, struct nh_step, n), .n = n, .complete = complete };

	for (size_t i = 0; i < n; i++)
		w.v[i].sp = 0x1000 + i * 0x100;
	return w;
}

static void add(struct nh_py_stack *py, size_t frames, uint64_t anchor)
{
	size_t begin = py->frames.n;

	for (size_t i = 0; i < frames; i++)
		*nh_push(&arena, &py->frames) =
			(struct nh_py_frame){ .line = 'a' + (int64_t)(begin + i) };
	*nh_push(&arena, &py->segments) = (struct nh_py_segment){ begin, py->frames.n, anchor };
}

/* The merged stack: a digit for each native frame, a letter for each Python frame. */
static const char *merged(const struct nh_walk *w, const struct nh_py_stack *py, size_t *unplaced)
{
	struct nh_merged_stack m;
	char *s;

	nh_py_merge(&arena, w, py, &m);
	s = nh_new(&arena, char, m.n + 1);
	for (size_t i = 0; i < m.n; i++)
		s[i] = m.v[i].py ? (char)m.v[i].py->line : (char)('0' + m.v[i].step);
	*unplaced = m.unplaced;
	return s;
}

static void by_anchor(void)
{
	struct nh_walk w = walk_of(6, true), none = { .complete = true };
	struct nh_py_stack py = { 0 };
	size_t lost;

	add(&py, 2, 0x1180); /* in frame 1 */
	add(&py, 0, 0x12f0); /* in frame 2: just begun, without a Python frame */
	add(&py, 1, 0x1300); /* the first byte of frame 3 */
	is(merged(&w, &py, &lost), "0ab2c45");
	ok(lost == 0);
	/* Outside of the walk, and in no frame's reach: the outermost has no end. */
	add(&py, 1, 0x7777);
	add(&py, 1, 0x1500);
	is(merged(&w, &py, &lost), "0ab2c45de");
	ok(lost == 2);
	is(merged(&none, &py, &lost), "abcde");
	ok(lost == 5);
	/* A segment whose anchor is not known, beside others. */
	py = (struct nh_py_stack){ 0 };
	add(&py, 1, 0x1410);
	add(&py, 1, 0);
	is(merged(&w, &py, &lost), "0123a5b");
	ok(lost == 1);
}

static void by_name(void)
{
	struct nh_walk w = walk_of(6, true);
	struct nh_py_stack py = { 0 };
	size_t lost;

	w.v[1].symbol = &eval;
	w.v[2].symbol = &near;
	w.v[3].symbol = &inlined;
	w.v[4].symbol = &cold;
	w.v[5].symbol = &other;
	add(&py, 1, 0);
	add(&py, 1, 0);
	add(&py, 1, 0);
	is(merged(&w, &py, &lost), "0a2bc5");
	ok(lost == 0);
	/* Where the numbers differ nothing is guessed. */
	add(&py, 1, 0);
	is(merged(&w, &py, &lost), "012345abcd");
	ok(lost == 4);
	/* Of a walk that ended early the inner ones still match. */
	w.complete = false;
	is(merged(&w, &py, &lost), "0a2bc5d");
	ok(lost == 1);
	py.segments.n = 2;
	is(merged(&w, &py, &lost), "012345ab");
	ok(lost == 2);
}

int main(void)
{
	by_anchor();
	by_name();
	nh_arena_free(&arena);
	return done();
}
