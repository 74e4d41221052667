#include "know/evidence_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "model/field.h"

const struct nh_evidence_var nh_evidence_vars[] = {
	{ .topic = "flight recorder",
		.name = "TORCH_FR_BUFFER_SIZE",
		.old = "TORCH_NCCL_TRACE_BUFFER_SIZE",
		.unset_old = "0",
		.unset_new = "2000",
		.want = "2000",
		.test = NH_VAR_ON,
		.why = "a dump without entries does not say what any rank was in",
		.cost = "memory for that many entries in each rank" },
	{ .topic = "dump on timeout",
		.name = "TORCH_NCCL_DUMP_ON_TIMEOUT",
		.unset_old = "0",
		.unset_new = "1",
		.also = "TORCH_DISTRIBUTED_DEBUG=DETAIL",
		.want = "1",
		.test = NH_VAR_ON,
		.why = "a timeout ends the job, and what each rank was in is gone with it",
		.cost = "the dying job waits for its dumps: 15 to 60 s" },
	{ .topic = "end on error",
		.name = "TORCH_NCCL_ASYNC_ERROR_HANDLING",
		.alias = "NCCL_ASYNC_ERROR_HANDLING",
		.unset_old = "3",
		.unset_new = "3",
		.want = "3",
		.test = NH_VAR_ON,
		.why = "neither an error nor a timeout ends the process: it hangs without a word",
		.cost = "none: it is the default" },
	{ .topic = "monitor thread",
		.name = "TORCH_NCCL_ENABLE_MONITORING",
		.unset_old = "1",
		.unset_new = "1",
		.want = "1",
		.test = NH_VAR_ON,
		.why = "nobody writes the dump of a rank whose watchdog is stuck",
		.cost = "none: it is the default" },
	{ .topic = "NCCL log",
		.name = "NCCL_DEBUG",
		.unset_old = "",
		.unset_new = "",
		.want = "WARN",
		.test = NH_VAR_LOG,
		.why = "NCCL names the cause of an error in its log alone",
		.cost = "none at WARN; INFO also logs version, rings and settings once at start" },
	{ .topic = "timing",
		.name = "TORCH_NCCL_ENABLE_TIMING",
		.alias = "NCCL_ENABLE_TIMING",
		.unset_old = "0",
		.unset_new = "0",
		.want = "1",
		.test = NH_VAR_ON,
		.advice = true,
		.why = "dumps cannot tell what the GPU has started from what it has only queued, and have no durations",
		.cost = "one more CUDA event a collective, which the watchdog queries: CPU time" },
	{ .topic = "dump on request",
		.name = "TORCH_NCCL_DEBUG_INFO_PIPE_FILE",
		.unset_old = "",
		.unset_new = "",
		.want = "/tmp/nccl_dump_",
		.test = NH_VAR_SET,
		.advice = true,
		.why = "a live job cannot be asked for a dump (ncclhang --dump)",
		.cost = "one FIFO a rank" },
	{ .topic = "C++ stacks in dumps",
		.name = "TORCH_FR_CPP_STACK",
		.old = "TORCH_NCCL_TRACE_CPP_STACK",
		.unset_old = "0",
		.unset_new = "0",
		.want = "1",
		.test = NH_VAR_ON,
		.advice = true,
		.why = "dumps have Python frames alone",
		.cost = "each collective is unwound, and a dump that looks up symbols takes long and may itself get stuck: only for hangs in C++ code" },
	{ .topic = "NCCL thread names",
		.name = "NCCL_SET_THREAD_NAME",
		.unset_old = "0",
		.unset_new = "0",
		.want = "1",
		.test = NH_VAR_ON,
		.advice = true,
		.why = "its threads are named like the process",
		.cost = "none" },
	{ 0 },
};

bool nh_evidence_is_on(const struct nh_evidence_var *v, const char *value)
{
	static const char *const off[] = { "", "0", "false", "no", "off", "n", "f" };
	static const char *const logs[] = { "WARN", "INFO", "ABORT", "TRACE" };

	if (!value)
		return false;
	if (v->test == NH_VAR_SET)
		return *value;
	for (size_t i = 0; v->test == NH_VAR_LOG && i < sizeof(logs) / sizeof(*logs); i++)
		if (!strcasecmp(value, logs[i]))
			return true;
	for (size_t i = 0; v->test == NH_VAR_ON && i < sizeof(off) / sizeof(*off); i++)
		if (!strcasecmp(value, off[i]))
			return false;
	return v->test == NH_VAR_ON;
}

const char *nh_environ_get(const char *block, size_t len, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < len; i += strlen(block + i) + 1)
		if (!strncmp(block + i, name, n) && block[i + n] == '=')
			return block + i + n + 1;
	return NULL;
}

size_t nh_dump_prefixes(struct nh_arena *a, const char *block, size_t len, int64_t torch,
	const char *ret[NH_DUMP_PREFIXES])
{
	const char *set = nh_environ_get(block, len, "TORCH_NCCL_DEBUG_INFO_TEMP_FILE");
	const char *fresh = nh_environ_get(block, len, "TORCH_FR_DUMP_TEMP_FILE");
	const char *cache = nh_environ_get(block, len, "XDG_CACHE_HOME");
	const char *home = nh_environ_get(block, len, "HOME");
	bool old = torch == NH_UNKNOWN || torch <= NH_TORCH_OLD;
	size_t n = 0;

	if (torch == NH_UNKNOWN || torch > NH_TORCH_OLD) {
		if (fresh || set)
			ret[n++] = fresh ? fresh : set;
		else if (cache)
			ret[n++] = nh_arena_printf(a, "%s/torch/comm_lib_trace_rank_", cache);
		else if (home)
			ret[n++] = nh_arena_printf(a, "%s/.cache/torch/comm_lib_trace_rank_", home);
	}
	set = set ? set : "/tmp/nccl_trace_rank_";
	if (old && (!n || strcmp(ret[0], set) != 0))
		ret[n++] = set;
	return n;
}

/* A positive number of a variable, in units of so many ms; what is no such number is the default.
 */
static int64_t number(const char *block, size_t len, const char *name, int64_t unit, int64_t unset)
{
	const char *value = nh_environ_get(block, len, name);
	long n = value ? strtol(value, NULL, 10) : 0;

	return (n > 0 && n <= INT32_MAX ? n : unset) * unit;
}

int64_t nh_dump_poll_ms(const char *block, size_t len)
{
	static const struct nh_evidence_var flag = { .test = NH_VAR_ON };
	const char *debug = nh_environ_get(block, len, "TORCH_DISTRIBUTED_DEBUG");
	const char *on = nh_environ_get(block, len, "TORCH_NCCL_DUMP_ON_TIMEOUT");

	if (nh_evidence_is_on(&flag, on) || (debug && !strcmp(debug, "DETAIL")))
		return number(block, len, "TORCH_NCCL_COORD_CHECK_MILSEC", 1, 1000);
	return number(block, len, "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", 1000, 480);
}

int64_t nh_torch_version_parse(const char *s)
{
	unsigned major, minor, patch = 0;

	if (!s || sscanf(s, "%2u.%2u.%2u", &major, &minor, &patch) < 2)
		return NH_UNKNOWN;
	return (int64_t)major * 10000 + minor * 100 + patch;
}
