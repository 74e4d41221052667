#include <string.h>
#include "base/set.h"
#include "model/field.h"
#include "python/line.h"
#include "python/object.h"

/* Low bits of a reference are tags from 3.14 on; objects are aligned. */
#define TAGS 7ULL

/* From 3.11 on, in 3.11 alone, the C frames tell where the interpreter's C calls lie. */
static bool lists_cframes(const struct nh_python *py)
{
	return py->layout.at[NH_PY_FRAME_ENTRY] != NH_PY_NONE;
}

static struct nh_chain chain_of(const struct nh_python *py, const struct nh_py_thread *t)
{
	const uint32_t *at = py->layout.at;

	return (struct nh_chain){ .head = t->addr,
		.head_bytes = nh_py_room(&py->layout, NH_PY_THREAD_NEXT, NH_PY_THREAD_FRAME),
		.first = at[NH_PY_THREAD_FRAME],
		.hop = at[NH_PY_CFRAME_FRAME] == NH_PY_NONE ? -1 : (int32_t)at[NH_PY_CFRAME_FRAME],
		.node_bytes = nh_py_room(&py->layout, NH_PY_FRAME_PREVIOUS, NH_PY_FRAME_OWNER),
		.next = at[NH_PY_FRAME_PREVIOUS] };
}

static struct nh_chain cframes_of(const struct nh_python *py, const struct nh_py_thread *t)
{
	struct nh_chain c = chain_of(py, t);

	c.hop = -1;
	c.node_bytes = nh_py_room(&py->layout, NH_PY_CFRAME_FRAME, NH_PY_CFRAME_PREVIOUS);
	c.next = py->layout.at[NH_PY_CFRAME_PREVIOUS];
	return c;
}

void nh_py_chains(const struct nh_python *py, const struct nh_py_state *st, size_t task,
	struct nh_chain ret[NH_CHAINS])
{
	size_t n = 0, each = lists_cframes(py) ? 2 : 1;

	memset(ret, 0, NH_CHAINS * sizeof(*ret));
	nh_for(t, &st->threads) {
		if (t->task != task || n + each > NH_CHAINS)
			continue;
		ret[n++] = chain_of(py, t);
		if (each == 2)
			ret[n++] = cframes_of(py, t);
	}
}

static uint64_t word_of(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* One thread state's lists on their way to frames. */
struct decoding {
	struct nh_python *py;
	struct nh_py_stack *stack;
	const struct nh_nodes *frames, *cframes;
	uint32_t frame_bytes, cframe_bytes, head_bytes;
	size_t entries; /* C calls of the interpreter so far */
	size_t begin;	/* of the present segment */
};

static const unsigned char *node(
	const struct nh_nodes *l, uint32_t head_bytes, uint32_t node_bytes, size_t i)
{
	return l->bytes + head_bytes + i * (sizeof(uint64_t) + node_bytes);
}

static void end_segment(struct decoding *d, uint64_t anchor)
{
	*nh_push(d->py->arena, &d->stack->segments) =
		(struct nh_py_segment){ d->begin, d->stack->frames.n, anchor };
	d->begin = d->stack->frames.n;
}

/* Unit of the last instruction: bytes to 3.9, then units of two bytes. */
static int64_t instruction(
	const struct nh_py_layout *l, const struct nh_py_code *code, const unsigned char *frame)
{
	int32_t index;

	if (l->at[NH_PY_CODE_BYTES] == NH_PY_NONE) {
		memcpy(&index, frame + l->at[NH_PY_FRAME_AT], sizeof(index));
		return index;
	}
	/* Just entered, it points before the first. */
	return (int64_t)(word_of(frame + l->at[NH_PY_FRAME_AT]) - code->addr -
			 l->at[NH_PY_CODE_BYTES]) /
	       2;
}

static bool add_frame(struct decoding *d, const unsigned char *frame)
{
	const struct nh_py_layout *l = &d->py->layout;
	uint64_t addr = word_of(frame + l->at[NH_PY_FRAME_CODE]) & ~TAGS;
	const struct nh_py_code *code = nh_py_code(d->py, addr);
	int64_t line;

	if (!code)
		return false;
	line = nh_py_line(
		l->minor, code->lines, code->nlines, code->first, instruction(l, code, frame));
	*nh_push(d->py->arena, &d->stack->frames) =
		(struct nh_py_frame){ code->func, code->file, line < 0 ? code->first : line };
	return true;
}

/* Ends the segment where this frame is its last, by the means of the version. */
static void after_frame(struct decoding *d, const unsigned char *frame)
{
	uint32_t entry = d->py->layout.at[NH_PY_FRAME_ENTRY];

	if (d->py->layout.minor < 11) {
		end_segment(d, 0);
	} else if (entry != NH_PY_NONE && frame[entry]) {
		bool known = d->cframes && d->entries < d->cframes->n;

		end_segment(d, !known ? 0
				      : word_of(node(d->cframes, d->head_bytes, d->cframe_bytes,
						d->entries)));
		d->entries++;
	}
}

static const char *decode(struct decoding *d)
{
	uint32_t owner = d->py->layout.at[NH_PY_FRAME_OWNER];
	struct nh_set seen = { 0 };

	for (size_t i = 0; i < d->frames->n; i++) {
		const unsigned char *n = node(d->frames, d->head_bytes, d->frame_bytes, i);
		const unsigned char *frame = n + sizeof(uint64_t);

		if (!nh_set_add(d->py->arena, &seen, word_of(n)))
			return "its list of frames goes round";
		if (owner != NH_PY_NONE && frame[owner] >= NH_PY_OWNED_BY_C) {
			end_segment(d, word_of(n));
			continue;
		}
		if (!add_frame(d, frame))
			return "a frame belongs to no code object";
		after_frame(d, frame);
	}
	return d->frames->cut ? "its list of frames was too long or led nowhere" : NULL;
}

/* The thread state as it was when its frames were copied is that of this thread. */
static bool still(const struct nh_python *py, const struct nh_py_state *st,
	const struct nh_py_thread *t, const struct nh_nodes *l)
{
	const uint32_t *at = py->layout.at;

	return l->bytes &&
	       word_of(l->bytes + at[NH_PY_THREAD_INTERP]) == st->interps.v[t->interp].addr &&
	       word_of(l->bytes + at[NH_PY_THREAD_PTHREAD]) == t->pthread;
}

void nh_py_frames(struct nh_python *py, const struct nh_py_state *st, size_t task,
	const struct nh_nodes nodes[NH_CHAINS], struct nh_py_stack *ret)
{
	size_t n = 0, each = lists_cframes(py) ? 2 : 1;

	*ret = (struct nh_py_stack){ 0 };
	nh_for(t, &st->threads) {
		struct decoding d = { .py = py, .stack = ret, .begin = ret->frames.n };
		struct nh_chain c = chain_of(py, t);
		const char *why = "its thread state changed before its frames were read";

		if (t->task != task)
			continue;
		if (n + each > NH_CHAINS) {
			ret->why = "it has more thread states than are read";
			return;
		}
		d.head_bytes = c.head_bytes;
		d.frame_bytes = c.node_bytes;
		d.cframe_bytes = cframes_of(py, t).node_bytes;
		d.frames = &nodes[n];
		d.cframes = each == 2 ? &nodes[n + 1] : NULL;
		n += each;
		if (still(py, st, t, d.frames))
			why = decode(&d);
		if (ret->frames.n > d.begin)
			end_segment(&d, 0);
		if (why)
			ret->why = why;
	}
}
