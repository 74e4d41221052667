#include "collect/gpu_smi.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "collect/gpu.h"

#define FIELD(f) offsetof(struct nh_gpu, f)
#define MIB (1 << 20)

/* One row a line. */
/* clang-format off */
static const struct nh_smi_column gpu_columns[] = {
	{ "index", NULL, NH_SMI_INT, FIELD(index), 1 },
	{ "uuid", NULL, NH_SMI_TEXT, FIELD(uuid), 1 },
	{ "name", NULL, NH_SMI_TEXT, FIELD(name), 1 },
	{ "pci.bus_id", NULL, NH_SMI_TEXT, FIELD(pci), 1 },
	{ "driver_version", NULL, NH_SMI_TEXT, FIELD(driver), 1 },
	{ "temperature.gpu", NULL, NH_SMI_INT, FIELD(temperature_c), 1 },
	{ "power.draw", NULL, NH_SMI_INT, FIELD(power_mw), 1000 },
	{ "enforced.power.limit", "power.limit", NH_SMI_INT, FIELD(power_limit_mw), 1000 },
	{ "clocks.sm", NULL, NH_SMI_INT, FIELD(sm_clock_mhz), 1 },
	{ "clocks.max.sm", NULL, NH_SMI_INT, FIELD(sm_clock_max_mhz), 1 },
	{ "utilization.gpu", NULL, NH_SMI_INT, FIELD(gpu_util_percent), 1 },
	{ "memory.used", NULL, NH_SMI_INT, FIELD(mem_used_bytes), MIB },
	{ "memory.total", NULL, NH_SMI_INT, FIELD(mem_total_bytes), MIB },
	{ "pcie.link.width.current", NULL, NH_SMI_INT, FIELD(pcie_width), 1 },
	{ "pcie.link.width.max", NULL, NH_SMI_INT, FIELD(pcie_width_max), 1 },
	{ "pcie.link.gen.current", NULL, NH_SMI_INT, FIELD(pcie_gen), 1 },
	{ "pcie.link.gen.max", NULL, NH_SMI_INT, FIELD(pcie_gen_max), 1 },
	{ "ecc.errors.uncorrected.volatile.total", NULL, NH_SMI_INT, FIELD(ecc_uncorrected), 1 },
	{ "retired_pages.pending", NULL, NH_SMI_YES, FIELD(retired_pending), 1 },
	{ "persistence_mode", NULL, NH_SMI_YES, FIELD(persistence), 1 },
	{ "mig.mode.current", NULL, NH_SMI_YES, FIELD(mig), 1 },
	{ "clocks_event_reasons.active", "clocks_throttle_reasons.active", NH_SMI_MASK, 0, 1 },
	{ 0 },
};

static const struct nh_smi_column app_columns[] = {
	{ "gpu_uuid", NULL, NH_SMI_KEY, 0, 1 },
	{ "pid", NULL, NH_SMI_PID, 0, 1 },
	{ 0 },
};

static const struct nh_smi_column row_columns[] = {
	{ "gpu_uuid", NULL, NH_SMI_KEY, 0, 1 },
	{ "remapped_rows.pending", NULL, NH_SMI_YES, FIELD(remap_pending), 1 },
	{ "remapped_rows.failure", NULL, NH_SMI_YES, FIELD(remap_failed), 1 },
	{ 0 },
};

const struct nh_smi_query nh_smi_queries[] = {
	{ "--query-gpu=", gpu_columns },
	{ "--query-compute-apps=", app_columns },
	{ "--query-remapped-rows=", row_columns },
};
/* clang-format on */
const size_t nh_smi_nqueries = sizeof(nh_smi_queries) / sizeof(*nh_smi_queries);

const char *nh_smi_name(const struct nh_smi_query *q, const nh_smi_names names, size_t i)
{
	const struct nh_smi_column *c = &q->columns[i];

	return names[i] == NH_SMI_NEW ? c->name : names[i] == NH_SMI_OLD ? c->old : NULL;
}

/* A piece of an answer. */
struct span {
	const char *s;
	size_t n;
};

static bool begins(struct span f, const char *word)
{
	size_t n = strlen(word);

	return f.n >= n && !memcmp(f.s, word, n);
}

static bool is(struct span f, const char *word)
{
	return f.n == strlen(word) && begins(f, word);
}

bool nh_smi_refused(const struct nh_smi_query *q, nh_smi_names names, const char *buf, size_t len)
{
	static const char before[] = "Field \"", after[] = "\" is not a valid field";
	struct span text = { buf, len };
	const char *end;

	if (!begins(text, before))
		return false;
	text.s += sizeof(before) - 1;
	text.n -= sizeof(before) - 1;
	end = memmem(text.s, text.n, after, sizeof(after) - 1);
	if (!end)
		return false;
	text.n = (size_t)(end - text.s);
	for (size_t i = 0; q->columns[i].name; i++) {
		const char *name = nh_smi_name(q, names, i);

		if (name && is(text, name)) {
			names[i] = names[i] == NH_SMI_NEW && q->columns[i].old ? NH_SMI_OLD
									       : NH_SMI_LEFT_OUT;
			return true;
		}
	}
	return false;
}

/* The text up to the separator, which is taken away with it. */
static struct span cut(struct span *text, char separator)
{
	const char *at = memchr(text->s, separator, text->n);
	struct span f = { text->s, at ? (size_t)(at - text->s) : text->n };

	text->n -= at ? f.n + 1 : f.n;
	text->s = at ? at + 1 : text->s + f.n;
	for (; f.n && (*f.s == ' ' || *f.s == '\t'); f.s++)
		f.n--;
	while (f.n && strchr(" \t\r", f.s[f.n - 1]))
		f.n--;
	return f;
}

/* "54.37" of a unit of 1000 is 54370; false for what is no number. */
static bool number(struct span f, int64_t factor, int64_t *ret)
{
	int64_t v = 0;
	size_t i = 0;

	for (; i < f.n && f.s[i] >= '0' && f.s[i] <= '9' && v < INT64_MAX / MIB / 16; i++)
		v = v * 10 + (f.s[i] - '0');
	if (!i || (i < f.n && f.s[i] != '.'))
		return false;
	v *= factor;
	for (i++; i < f.n && f.s[i] >= '0' && f.s[i] <= '9' && factor >= 10; i++) {
		factor /= 10;
		v += (f.s[i] - '0') * factor;
	}
	*ret = v;
	return true;
}

static void set_mask(struct nh_arena *a, struct nh_gpu *g, struct span f)
{
	char text[24] = "";

	memcpy(text, f.s, f.n < sizeof(text) - 1 ? f.n : sizeof(text) - 1);
	nh_gpu_throttle(a, g, strtoull(text, NULL, 16));
}

static bool says(struct span f, const char *what)
{
	return f.s && memmem(f.s, f.n, what, strlen(what));
}

/* In brackets is why there is no value: of one field, or of all of them. */
static void set_reason(struct nh_arena *a, struct nh_gpu *g, struct span f)
{
	if (!g->trouble && (says(f, "is lost") || says(f, "requires reset")))
		nh_gpu_trouble(a, g, f.s + 1, f.n - (f.s[f.n - 1] == ']' ? 2 : 1));
}

static void set(struct nh_arena *a, struct nh_gpu *g, const struct nh_smi_column *c, struct span f)
{
	void *field = (char *)g + c->field;
	int64_t pid;

	if (!f.n || *f.s == '[') {
		if (f.n > 1)
			set_reason(a, g, f);
		return;
	}
	switch (c->kind) {
	case NH_SMI_INT:
		number(f, c->factor, field);
		break;
	case NH_SMI_TEXT:
		if (!is(f, "N/A"))
			*(const char **)field = nh_utf8_repair(a, f.s, f.n);
		break;
	case NH_SMI_YES:
		*(bool *)field = is(f, "Yes") || is(f, "Enabled") || is(f, "1");
		break;
	case NH_SMI_MASK:
		set_mask(a, g, f);
		break;
	case NH_SMI_PID:
		if (number(f, 1, &pid))
			*nh_push(a, &g->pids) = pid;
		break;
	case NH_SMI_KEY:
		break;
	}
}

static struct nh_gpu *gpu_of(struct nh_case *c, struct span uuid)
{
	nh_for(g, &c->gpus)
		if (g->uuid && is(uuid, g->uuid))
			return g;
	return NULL;
}

/*
 * A GPU that cannot be opened has no values, but a sentence: "Unable to determine the device handle
 * for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU"; some versions leave
 * no blank before the address.
 */
static bool take_sentence(struct nh_case *c, struct span line)
{
	static const char before[] = "Unable to determine the device handle for GPU";
	const char *at = line.s + sizeof(before) - 1, *end = line.s + line.n, *why;
	struct nh_gpu *g;

	if (!begins(line, before))
		return false;
	g = nh_case_row(c, gpu, gpus);
	while (at < end && *at == ' ')
		at++;
	why = memmem(at, (size_t)(end - at), ": ", 2);
	if (why) {
		g->pci = nh_utf8_repair(c->arena, at, (size_t)(why - at));
		at = why + 2;
	}
	nh_gpu_trouble(c->arena, g, at, (size_t)(end - at));
	return true;
}

/* The GPU a line is about: by its key, or a new one, told by its index.  NULL for other lines. */
static struct nh_gpu *subject_of(struct nh_case *c, const struct nh_smi_query *q, struct span line)
{
	struct span first = cut(&line, ',');
	int64_t index;

	if (q->columns[0].kind == NH_SMI_KEY)
		return gpu_of(c, first);
	return number(first, 1, &index) ? nh_case_row(c, gpu, gpus) : NULL;
}

void nh_smi_parse(const struct nh_smi_query *q, const nh_smi_names names, const char *buf,
	size_t len, struct nh_case *ret)
{
	struct span text = { buf, len };

	while (text.n) {
		struct span line = cut(&text, '\n');
		struct nh_gpu *g = take_sentence(ret, line) ? NULL : subject_of(ret, q, line);

		for (size_t i = 0; g && q->columns[i].name; i++)
			if (nh_smi_name(q, names, i))
				set(ret->arena, g, &q->columns[i], cut(&line, ','));
	}
}
