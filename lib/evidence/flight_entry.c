#include "evidence/flight_dump.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"

static const struct {
	const char *text;
	uint8_t word;
} words[] = {
	{ "entries", NH_FR_ENTRIES },
	{ "version", NH_FR_VERSION },
	{ "pg_config", NH_FR_PG_CONFIG },
	{ "pg_status", NH_FR_PG_STATUS },
	{ "name", NH_FR_NAME },
	{ "desc", NH_FR_DESC },
	{ "ranks", NH_FR_RANKS },
	{ "last_enqueued_collective", NH_FR_LAST_ENQUEUED },
	{ "last_started_collective", NH_FR_LAST_STARTED },
	{ "last_completed_collective", NH_FR_LAST_COMPLETED },
	{ "frames", NH_FR_FRAMES },
	{ "record_id", NH_FR_RECORD_ID },
	{ "pg_id", NH_FR_PG_ID },
	{ "process_group", NH_FR_PROCESS_GROUP },
	{ "collective_seq_id", NH_FR_SEQ },
	{ "seq_id", NH_FR_SEQ }, /* before 2.2 */
	{ "p2p_seq_id", NH_FR_P2P_SEQ },
	{ "op_id", NH_FR_OP_ID },
	{ "profiling_name", NH_FR_PROFILING_NAME },
	{ "time_created_ns", NH_FR_CREATED },
	{ "duration_ms", NH_FR_DURATION },
	{ "input_sizes", NH_FR_IN_SIZES },
	{ "input_dtypes", NH_FR_IN_DTYPES },
	{ "output_sizes", NH_FR_OUT_SIZES },
	{ "output_dtypes", NH_FR_OUT_DTYPES },
	{ "state", NH_FR_STATE },
	{ "time_discovered_started_ns", NH_FR_NOTICED_STARTED },
	{ "time_discovered_completed_ns", NH_FR_NOTICED_COMPLETED },
	{ "retired", NH_FR_RETIRED },
	{ "timeout_ms", NH_FR_TIMEOUT },
	{ "is_p2p", NH_FR_IS_P2P },
	{ "scheduled", NH_FR_SCHEDULED },
	{ "started", NH_FR_STARTED },
	{ "completed", NH_FR_COMPLETED },
	{ "filename", NH_FR_FILENAME },
	{ "line", NH_FR_LINE },
};

/* Where PyTorch's own frames are: Python ones by path, C++ ones by suffix. */
static bool is_torch(const char *s, size_t n)
{
	static const char *const ends[] = { "distributed_c10d.py", "c10d_logger.py", ".cpp", ".cc",
		".h", ".cu", "??", "??:0" };

	if (memmem(s, n, "/torch/", 7))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t m = strlen(ends[i]);

		if (n >= m && !memcmp(s + n - m, ends[i], m))
			return true;
	}
	return false;
}

/* The name of an operation without a root, which would leave early: "nccl:all_reduce". */
static bool is_symmetric(const char *s, size_t n)
{
	static const char *const parts[] = { "all", "reduce_scatter", "barrier" };
	const char *op = memchr(s, ':', n);

	for (size_t i = 0; op && i < sizeof(parts) / sizeof(*parts); i++)
		if (memmem(op, n - (size_t)(op - s), parts[i], strlen(parts[i])))
			return true;
	return false;
}

uint8_t nh_fr_word(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].text[0] == (n ? *s : 0) && !strncmp(words[i].text, s, n) &&
			!words[i].text[n])
			return words[i].word;
	if (is_symmetric(s, n))
		return NH_FR_SYMMETRIC;
	return is_torch(s, n) ? NH_FR_TORCH : NH_FR_OTHER;
}

const char *nh_fr_text(struct nh_arena *a, const struct nh_value *v)
{
	return v && v->kind == NH_V_STR ? nh_utf8_repair(a, v->s, v->n) : NULL;
}

int64_t nh_fr_int(const struct nh_value *v)
{
	int64_t i = nh_value_int(v, NH_UNKNOWN);

	return i > -NH_FR_INT_MAX && i < NH_FR_INT_MAX ? i : NH_UNKNOWN;
}

/* JSON writes 0 where there is no time. */
static int64_t time_of(const struct nh_value *v)
{
	int64_t ns = nh_value_int(v, NH_UNKNOWN);

	return ns > 0 ? ns : NH_UNKNOWN;
}

static int64_t duration_of(const struct nh_value *v)
{
	double ms = nh_value_real(v, -1);

	return ms >= 0 && ms < 1e12 ? (int64_t)(ms * 1000) : NH_UNKNOWN;
}

static int state_of(const struct nh_value *v)
{
	if (v->kind != NH_V_STR)
		return 0;
	switch (v->word) {
	case NH_FR_SCHEDULED:
		return NH_WORK_SCHEDULED;
	case NH_FR_STARTED:
		return NH_WORK_STARTED;
	case NH_FR_COMPLETED:
		return NH_WORK_COMPLETED;
	default:
		return 0;
	}
}

/* Where each word's value goes, and how it is read. */
enum { INT, TIME, VALUE, TRUTH };
#define TO(k, m)                                                                                   \
	{                                                                                          \
		true, (k), offsetof(struct nh_fr_entry, m)                                         \
	}
static const struct {
	bool used;
	int kind;
	size_t offset;
} fields[] = {
	[NH_FR_FRAMES] = TO(VALUE, frames),
	[NH_FR_RECORD_ID] = TO(INT, record),
	[NH_FR_PG_ID] = TO(INT, pg_id),
	[NH_FR_PROCESS_GROUP] = TO(VALUE, group),
	[NH_FR_SEQ] = TO(INT, seq),
	[NH_FR_P2P_SEQ] = TO(INT, p2p_seq),
	[NH_FR_OP_ID] = TO(INT, op_id),
	[NH_FR_PROFILING_NAME] = TO(VALUE, name),
	[NH_FR_CREATED] = TO(TIME, created),
	[NH_FR_IN_SIZES] = TO(VALUE, in_sizes),
	[NH_FR_IN_DTYPES] = TO(VALUE, in_dtypes),
	[NH_FR_OUT_SIZES] = TO(VALUE, out_sizes),
	[NH_FR_OUT_DTYPES] = TO(VALUE, out_dtypes),
	[NH_FR_NOTICED_STARTED] = TO(TIME, started),
	[NH_FR_NOTICED_COMPLETED] = TO(TIME, completed),
	[NH_FR_RETIRED] = TO(TRUTH, retired),
	[NH_FR_TIMEOUT] = TO(INT, timeout_ms),
	[NH_FR_IS_P2P] = TO(TRUTH, p2p),
};

static void field(uint8_t word, const struct nh_value *v, struct nh_fr_entry *e)
{
	void *to;

	if (word == NH_FR_DURATION)
		e->duration_us = duration_of(v);
	else if (word == NH_FR_STATE)
		e->state = state_of(v);
	if (word >= sizeof(fields) / sizeof(*fields) || !fields[word].used)
		return;
	to = (char *)e + fields[word].offset;
	switch (fields[word].kind) {
	case INT:
		*(int64_t *)to = nh_fr_int(v);
		break;
	case TIME:
		*(int64_t *)to = time_of(v);
		break;
	case TRUTH:
		*(bool *)to = v->kind == NH_V_BOOL && v->i;
		break;
	default:
		*(struct nh_value *)to = *v;
	}
}

const char *nh_fr_op(const struct nh_fr_entry *e, size_t *n)
{
	const char *colon = memchr(e->name.s, ':', e->name.n);
	const char *s = colon ? colon + 1 : e->name.s;

	*n = e->name.n - (size_t)(s - e->name.s);
	return s;
}

static bool is_entry(const struct nh_value *items)
{
	return items->kind == NH_V_STR && items->word >= NH_FR_FRAMES &&
	       items->word <= NH_FR_IS_P2P;
}

static struct nh_fr_entry *new_entry(struct nh_flight *d)
{
	size_t cap = d->entries_cap ? d->entries_cap * 2 : 256;
	struct nh_fr_entry *grown;

	if (d->nentries == d->entries_cap) {
		grown = realloc(d->entries, cap * sizeof(*grown));
		if (!grown)
			return NULL;
		d->entries = grown;
		d->entries_cap = cap;
	}
	return &d->entries[d->nentries];
}

bool nh_fr_take(void *ctx, const struct nh_value *items, size_t n)
{
	static const struct nh_fr_entry unknown = { .record = NH_UNKNOWN,
		.pg_id = NH_UNKNOWN,
		.seq = NH_UNKNOWN,
		.p2p_seq = NH_UNKNOWN,
		.op_id = NH_UNKNOWN,
		.created = NH_UNKNOWN,
		.started = NH_UNKNOWN,
		.completed = NH_UNKNOWN,
		.duration_us = NH_UNKNOWN,
		.timeout_ms = NH_UNKNOWN };
	struct nh_flight *d = ctx;
	struct nh_fr_entry *e;
	const char *op;
	size_t len;

	e = is_entry(items) ? new_entry(d) : NULL;
	if (!e)
		return false;
	*e = unknown;
	for (size_t i = 0; i + 1 < n; i += 2)
		if (items[i].kind == NH_V_STR)
			field(items[i].word, &items[i + 1], e);
	if (e->name.kind != NH_V_STR)
		return true;
	d->nentries++;
	op = nh_fr_op(e, &len); /* formats before 2.2 have no is_p2p */
	e->p2p |= len > 5 && (!memcmp(op, "send ", 5) || !memcmp(op, "recv ", 5));
	e->coalesced = len == 9 && !memcmp(op, "coalesced", 9);
	return true;
}

/* One frame's file; name and line where it has one. */
static const struct nh_value *one_frame(const struct nh_tree *t, const struct nh_value *frame,
	const struct nh_value **name, int64_t *line)
{
	const struct nh_value *file = NULL, *items;
	size_t n;

	items = frame->kind == NH_V_DICT ? nh_tree_items(t, frame, &n) : NULL;
	for (size_t i = 0; items && i + 1 < n; i += 2) {
		if (items[i].kind != NH_V_STR)
			continue;
		if (items[i].word == NH_FR_FILENAME)
			file = items[i + 1].kind == NH_V_STR ? &items[i + 1] : NULL;
		else if (items[i].word == NH_FR_NAME)
			*name = &items[i + 1];
		else if (items[i].word == NH_FR_LINE)
			*line = nh_value_int(&items[i + 1], NH_UNKNOWN);
	}
	return file;
}

const struct nh_value *nh_fr_frame(const struct nh_tree *t, const struct nh_fr_entry *e,
	const struct nh_value **name, int64_t *line)
{
	const struct nh_value *innermost = NULL, *file, *fn;
	const struct nh_value *frames;
	int64_t at;
	size_t n;

	frames = nh_tree_items(t, &e->frames, &n);
	for (size_t i = 0; i < n; i++) {
		fn = NULL;
		at = NH_UNKNOWN;
		file = one_frame(t, &frames[i], &fn, &at);
		if (!file || (innermost && file->word == NH_FR_TORCH))
			continue;
		innermost = file;
		*name = fn;
		*line = at;
		if (file->word != NH_FR_TORCH)
			break;
	}
	return innermost;
}
