#include "know/teardown.h"

#include <string.h>

/*
 * NCCL 2.12 … 2.30: init.cc, group.cc, proxy.cc; PyTorch 2.0 … 2.6: NCCLUtils.cpp,
 * ProcessGroupNCCL.cpp.  Release builds inline the static ones (commFree, commCleanup), and
 * stripped ones keep the exported names only, under either of two at one address.
 */
static const struct {
	const char *name;
	enum nh_td_kind kind;
} functions[] = {
	{ "ncclCommAbort", NH_TD_ABORT },
	{ "pncclCommAbort", NH_TD_ABORT },
	{ "ncclCommDestroy", NH_TD_DESTROY },
	{ "pncclCommDestroy", NH_TD_DESTROY },
	{ "ncclCommFinalize", NH_TD_FINALIZE },
	{ "pncclCommFinalize", NH_TD_FINALIZE },
	{ "commReclaim", NH_TD_INNER },
	{ "commCleanup", NH_TD_INNER },
	{ "commFree", NH_TD_INNER },
	{ "commDestroySync", NH_TD_INNER },
	{ "commDestroy", NH_TD_INNER },
	{ "ncclProxyDestroy", NH_TD_INNER },
	{ "ncclProxyStop", NH_TD_INNER },
	{ "asyncJobLaunch", NH_TD_LAUNCH },
	{ "groupLaunch", NH_TD_LAUNCH },
	{ "ncclGroupEndInternal", NH_TD_LAUNCH },
	{ "ncclAsyncJobMain", NH_TD_JOB },
	{ "ncclProxyService", NH_TD_SERVICE },
	{ "ncclProxyProgress", NH_TD_PROGRESS },
	{ "ncclSocketAccept", NH_TD_ACCEPT },
	{ "ncclCommPollCallbacks", NH_TD_GRAPH },
	{ "ncclCommInitRank", NH_TD_INIT },
	{ "pncclCommInitRank", NH_TD_INIT },
	{ "ncclCommInitRankConfig", NH_TD_INIT },
	{ "pncclCommInitRankConfig", NH_TD_INIT },
	{ "ncclCommInitRankScalable", NH_TD_INIT },
	{ "pncclCommInitRankScalable", NH_TD_INIT },
	{ "ncclCommInitAll", NH_TD_INIT },
	{ "pncclCommInitAll", NH_TD_INIT },
	{ "ncclCommSplit", NH_TD_INIT },
	{ "pncclCommSplit", NH_TD_INIT },
	{ "ncclCommInitRankFunc", NH_TD_INIT },
	{ "bootstrapRoot", NH_TD_ROOT },
	{ "c10d::NCCLComm::ncclCommAbort", NH_TD_CALLER },
	{ "c10d::NCCLComm::abort", NH_TD_CALLER },
	{ "c10d::abortCommsFromMap", NH_TD_CALLER },
	{ "c10d::ProcessGroupNCCL::abort", NH_TD_CALLER },
	{ "c10d::ProcessGroupNCCL::waitForFutureOrTimeout", NH_TD_CALLER },
};

/* The name without parameters and return type: where it starts, and its length. */
static const char *base_of(const struct nh_frame *f, size_t *len)
{
	const char *name = f->func && !f->python ? f->func : "";
	size_t n = strcspn(name, "(");
	/* A demangled template function begins with its return type. */
	const char *blank = memrchr(name, ' ', n), *start = blank ? blank + 1 : name;

	*len = (size_t)(name + n - start);
	return start;
}

const char *nh_frame_base(const struct nh_frame *f, char *buf, size_t size)
{
	size_t n;
	const char *start = base_of(f, &n);

	n = n < size ? n : size - 1;
	memcpy(buf, start, n);
	buf[n] = 0;
	return buf;
}

/* Asked of every frame of every thread: compared in place, the first letter first. */
enum nh_td_kind nh_teardown_kind(const struct nh_frame *f)
{
	const char *base;
	size_t n;

	if (!f->func || f->nearest)
		return f->module && !strncmp(f->module, "libnccl.so", 10) ? NH_TD_UNNAMED
									  : NH_TD_NONE;
	base = base_of(f, &n);
	for (size_t i = 0; n && i < sizeof(functions) / sizeof(*functions); i++)
		if (*base == *functions[i].name && !strncmp(base, functions[i].name, n) &&
			!functions[i].name[n])
			return functions[i].kind;
	return NH_TD_NONE;
}

const char *nh_teardown_word(enum nh_td_kind kind)
{
	return kind == NH_TD_ABORT ? "abort" : kind == NH_TD_DESTROY ? "destroy" : "finalize";
}

bool nh_frame_is_cuda(const struct nh_frame *f)
{
	static const char *const modules[] = { "libcuda.so", "libcudart.so", "libcudart-" };
	char base[256] = "";

	for (size_t i = 0; f->module && i < sizeof(modules) / sizeof(*modules); i++)
		if (!strncmp(f->module, modules[i], strlen(modules[i])))
			return true;
	nh_frame_base(f, base, sizeof(base));
	return !f->nearest && !strncmp(base, "cuda", 4) && base[4] >= 'A' && base[4] <= 'Z';
}
