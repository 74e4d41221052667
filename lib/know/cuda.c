#include "know/cuda.h"

#include <string.h>
#include "know/teardown.h"

/*
 * CUDA 11 … 13, driver API (cu…) and runtime (cuda…).  Which calls may synchronise implicitly: the
 * programming guide's list (memory allocation and freeing, page-locked host memory, module loading
 * and unloading).
 */
/* clang-format off */
static const struct {
	const char *name; /* a trailing * = any rest */
	enum nh_cuda_kind kind;
} functions[] = {
	{ "cuStreamSynchronize", NH_CUDA_SYNC },
	{ "cuCtxSynchronize", NH_CUDA_SYNC },
	{ "cuEventSynchronize", NH_CUDA_SYNC },
	{ "cuCtxDestroy", NH_CUDA_SYNC },
	{ "cuDevicePrimaryCtxReset", NH_CUDA_SYNC },
	{ "cudaStreamSynchronize", NH_CUDA_SYNC },
	{ "cudaDeviceSynchronize", NH_CUDA_SYNC },
	{ "cudaThreadSynchronize", NH_CUDA_SYNC },
	{ "cudaEventSynchronize", NH_CUDA_SYNC },
	{ "cudaDeviceReset", NH_CUDA_SYNC },
	{ "cuMemcpy*", NH_CUDA_COPY },
	{ "cuMemset*", NH_CUDA_COPY },
	{ "cudaMemcpy*", NH_CUDA_COPY },
	{ "cudaMemset*", NH_CUDA_COPY },
	{ "cuMemFree*", NH_CUDA_FREE },
	{ "cuMemHostUnregister", NH_CUDA_FREE },
	{ "cuMemUnmap", NH_CUDA_FREE },
	{ "cuMemRelease", NH_CUDA_FREE },
	{ "cuArrayDestroy", NH_CUDA_FREE },
	{ "cuIpcCloseMemHandle", NH_CUDA_FREE },
	{ "cudaFree*", NH_CUDA_FREE },
	{ "cudaHostUnregister", NH_CUDA_FREE },
	{ "cudaIpcCloseMemHandle", NH_CUDA_FREE },
	{ "cuMemAlloc*", NH_CUDA_ALLOC },
	{ "cuMemHostAlloc", NH_CUDA_ALLOC },
	{ "cuMemHostRegister", NH_CUDA_ALLOC },
	{ "cuMemCreate", NH_CUDA_ALLOC },
	{ "cuMemMap", NH_CUDA_ALLOC },
	{ "cuArrayCreate", NH_CUDA_ALLOC },
	{ "cuIpcOpenMemHandle", NH_CUDA_ALLOC },
	{ "cudaMalloc*", NH_CUDA_ALLOC },
	{ "cudaHostAlloc", NH_CUDA_ALLOC },
	{ "cudaHostRegister", NH_CUDA_ALLOC },
	{ "cudaIpcOpenMemHandle", NH_CUDA_ALLOC },
	{ "cuModuleLoad*", NH_CUDA_MODULE },
	{ "cuModuleUnload", NH_CUDA_MODULE },
	{ "cuModuleGetFunction", NH_CUDA_MODULE },
	{ "cuLibraryLoad*", NH_CUDA_MODULE },
	{ "cuLibraryUnload", NH_CUDA_MODULE },
	{ "cuLibraryGetKernel", NH_CUDA_MODULE },
	{ "cuKernelGetFunction", NH_CUDA_MODULE },
	{ "cuLinkComplete", NH_CUDA_MODULE },
	{ "cuDevicePrimaryCtxRetain", NH_CUDA_MODULE },
	{ "cuCtxCreate", NH_CUDA_MODULE },
	{ "cuLaunch*", NH_CUDA_LAUNCH },
	{ "cuGraphLaunch", NH_CUDA_LAUNCH },
	{ "cudaLaunch*", NH_CUDA_LAUNCH },
	{ "cudaGraphLaunch", NH_CUDA_LAUNCH },
	{ "cuStreamQuery", NH_CUDA_QUERY },
	{ "cuEventQuery", NH_CUDA_QUERY },
	{ "cudaStreamQuery", NH_CUDA_QUERY },
	{ "cudaEventQuery", NH_CUDA_QUERY },
};
/* clang-format on */

static const char *const words[NH_CUDA_KINDS] = {
	[NH_CUDA_NONE] = "is in a CUDA call",
	[NH_CUDA_SYNC] = "waits for the GPU",
	[NH_CUDA_COPY] = "copies and waits for the GPU",
	[NH_CUDA_FREE] = "frees memory, which may wait for the GPU",
	[NH_CUDA_ALLOC] = "allocates memory, which may wait for the GPU",
	[NH_CUDA_MODULE] = "loads code, which may wait for the GPU",
	[NH_CUDA_LAUNCH] = "launches a kernel",
	[NH_CUDA_QUERY] = "asks how far the GPU is",
};

const char *nh_cuda_word(enum nh_cuda_kind kind)
{
	return words[kind];
}

/* "cuMemFree_v2_ptsz" is cuMemFree; the runtime linked statically calls cudaFree's inner function
 * cudart::cudaApiFree. */
static void plain_name(char *name)
{
	static const char *const suffixes[] = { "_ptsz", "_ptds", "_v2", "_v3", "_v11020",
		"_v12000" };
	static const char inner[] = "cudart::cudaApi";
	size_t n;

	/* Both begin with "cuda". */
	if (!strncmp(name, inner, sizeof(inner) - 1))
		memmove(name + 4, name + sizeof(inner) - 1, strlen(name) - sizeof(inner) + 2);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		n = strlen(name);
		if (n > strlen(suffixes[i]) && !strcmp(name + n - strlen(suffixes[i]), suffixes[i]))
			name[n - strlen(suffixes[i])] = '\0';
	}
}

static bool matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1) : !strcmp(pattern, name);
}

enum nh_cuda_kind nh_cuda_kind(const struct nh_frame *f)
{
	char name[256];

	if (!f->func || f->nearest || f->python)
		return NH_CUDA_NONE;
	nh_frame_base(f, name, sizeof(name));
	if (strncmp(name, "cu", 2) != 0)
		return NH_CUDA_NONE;
	plain_name(name);
	/* What goes into a stream and returns. */
	if (strstr(name, "Async"))
		return NH_CUDA_NONE;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (matches(functions[i].name, name))
			return functions[i].kind;
	return NH_CUDA_NONE;
}

bool nh_cuda_syncs_by_the_way(enum nh_cuda_kind kind)
{
	return kind == NH_CUDA_FREE || kind == NH_CUDA_ALLOC || kind == NH_CUDA_MODULE;
}

bool nh_cuda_syncs(enum nh_cuda_kind kind)
{
	return kind == NH_CUDA_SYNC || kind == NH_CUDA_COPY;
}

bool nh_frame_is_driver(const struct nh_frame *f)
{
	return f->module && !strncmp(f->module, "libcuda.so", 10);
}
