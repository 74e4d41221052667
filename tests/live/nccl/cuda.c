/* The runtime and driver functions that NCCL calls before, between and after collectives. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "fake.h"

enum { OK = 0, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, NOT_FOUND = 500, NOT_SUPPORTED = 801 };
enum { PAGE = 4096, IPC_SIZE = 1 << 28, CUDA_VERSION = 13000 };

static __thread int current;

void fake_use(int dev)
{
	current = dev;
}

int fake_refuse(void)
{
	return NOT_SUPPORTED;
}

static int ok(void)
{
	return OK;
}

static int get_device(int *ret)
{
	*ret = current;
	return OK;
}

static int set_device(int dev)
{
	current = dev;
	return dev < FAKE_GPUS ? OK : INVALID_DEVICE;
}

static int driver_device(int *ret, int i)
{
	*ret = i;
	return i < FAKE_GPUS ? OK : INVALID_DEVICE;
}

static int device_count(int *ret)
{
	*ret = FAKE_GPUS;
	return OK;
}

static int version(int *ret)
{
	*ret = CUDA_VERSION;
	return OK;
}

/* cudaDevAttr and CU_DEVICE_ATTRIBUTE share their numbers; the values are an A100's. */
static int attribute(int *ret, int which, int dev)
{
	static const struct {
		int which, value;
	} known[] = {
		{ 1, 1024 },	/* threads per block */
		{ 8, 49152 },	/* shared memory per block */
		{ 10, 32 },	/* warp size */
		{ 16, 108 },	/* multiprocessors */
		{ 41, 1 },	/* unified addressing */
		{ 75, 8 },	/* compute capability: 8 … */
		{ 81, 167936 }, /* shared memory per multiprocessor */
		{ 97, 166912 }, /* shared memory per block, at most */
	};

	*ret = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].which == which)
			*ret = known[i].value;
	return OK;
}

static int bus_id(char *ret, int len, int dev)
{
	snprintf(ret, (size_t)len, "0000:%02x:00.0", FAKE_FIRST_BUS + dev);
	return OK;
}

static int by_bus_id(int *ret, const char *id)
{
	const char *bus = strchr(id, ':');

	*ret = bus ? (int)strtol(bus + 1, NULL, 16) - FAKE_FIRST_BUS : -1;
	return *ret >= 0 && *ret < FAKE_GPUS ? OK : INVALID_DEVICE;
}

/* Zeroed when touched: NCCL asks for far more than it uses here.  The page before has the size. */
static int allocate(void **ret, size_t n)
{
	char *p = mmap(NULL, n + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return OUT_OF_MEMORY;
	memcpy(p, &n, sizeof(n));
	*ret = p + PAGE;
	return OK;
}

static int release(void *p)
{
	size_t n;

	if (!p)
		return OK;
	memcpy(&n, (char *)p - PAGE, sizeof(n));
	munmap((char *)p - PAGE, n + PAGE);
	return OK;
}

static int handle(void **ret)
{
	return allocate(ret, 1);
}

static int copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return OK;
}

/* All memory is zero when it comes, and no kernel ever writes to it. */
static int fill(void *to, int c, size_t n)
{
	return c ? NOT_SUPPORTED : OK;
}

static int same_pointer(void **ret, void *host)
{
	*ret = host;
	return OK;
}

/* cudaFuncAttributes: its size is 7 words in every CUDA that NCCL supports. */
static int function(void *ret, const void *fn)
{
	memset(ret, 0, 7 * sizeof(uint64_t));
	return OK;
}

/* cudaDeviceProp grew to over 1000 bytes; what NCCL reads lies in the first 512. */
static int properties(void *ret, int dev)
{
	memset(ret, 0, 512);
	return OK;
}

static int can_access_peer(int *ret, int a, int b)
{
	*ret = 1;
	return OK;
}

static int ipc_get(void *ret, void *p)
{
	memset(ret, 0, 64);
	return OK;
}

struct ipc {
	char reserved[64];
};

/* Nobody reads a peer's memory here: zeros will do. */
static int ipc_open(void **ret, struct ipc h, unsigned int flags)
{
	*ret = mmap(NULL, IPC_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return *ret == MAP_FAILED ? OUT_OF_MEMORY : OK;
}

static int ipc_close(void *p)
{
	munmap(p, IPC_SIZE);
	return OK;
}

static int no_capture(void *stream, int *ret)
{
	*ret = 0;
	return OK;
}

static int error_words(int error, const char **ret)
{
	*ret = "fake CUDA error";
	return OK;
}

static const char *error_name(int error)
{
	return "fake CUDA error";
}

static int context(void **ret)
{
	*ret = &current;
	return OK;
}

static int entry_point(const char *name, void **ret, unsigned long long flags, int *found)
{
	*ret = fake_find(name);
	if (found)
		*found = !*ret;
	return *ret ? OK : NOT_FOUND;
}

static int entry_point_by_version(
	const char *name, void **ret, unsigned int v, unsigned long long flags, int *found)
{
	return entry_point(name, ret, flags, found);
}

static int proc_address(const char *name, void **ret, int v, uint64_t flags, int *found)
{
	return entry_point(name, ret, flags, found);
}

static const struct {
	const char *name;
	void *fn;
} fakes[] = {
	{ "cudaDeviceCanAccessPeer", can_access_peer },
	{ "cudaDeviceGetAttribute", attribute },
	{ "cudaDeviceGetByPCIBusId", by_bus_id },
	{ "cudaDeviceGetPCIBusId", bus_id },
	{ "cudaDriverGetVersion", version },
	{ "cudaEventCreateWithFlags", handle },
	{ "cudaEventDestroy", release },
	{ "cudaEventQuery", ok },
	{ "cudaEventRecord", ok },
	{ "cudaFree", release },
	{ "cudaFreeHost", release },
	{ "cudaFuncGetAttributes", function },
	{ "cudaFuncSetAttribute", ok },
	{ "cudaGetDevice", get_device },
	{ "cudaGetDeviceCount", device_count },
	{ "cudaGetDeviceProperties", properties },
	{ "cudaGetDeviceProperties_v2", properties },
	{ "cudaGetDriverEntryPoint", entry_point },
	{ "cudaGetDriverEntryPointByVersion", entry_point_by_version },
	{ "cudaGetErrorString", error_name },
	{ "cudaGetLastError", ok },
	{ "cudaHostAlloc", allocate },
	{ "cudaHostGetDevicePointer", same_pointer },
	{ "cudaHostRegister", ok },
	{ "cudaHostUnregister", ok },
	{ "cudaIpcCloseMemHandle", ipc_close },
	{ "cudaIpcGetMemHandle", ipc_get },
	{ "cudaIpcOpenMemHandle", ipc_open },
	{ "cudaMalloc", allocate },
	{ "cudaMemPoolCreate", handle },
	{ "cudaMemPoolDestroy", release },
	{ "cudaMemPoolSetAttribute", ok },
	{ "cudaMemcpy", copy },
	{ "cudaMemcpyAsync", copy },
	{ "cudaMemset", fill },
	{ "cudaMemsetAsync", fill },
	{ "cudaRuntimeGetVersion", version },
	{ "cudaSetDevice", set_device },
	{ "cudaStreamCreateWithFlags", handle },
	{ "cudaStreamDestroy", release },
	{ "cudaStreamGetCaptureInfo", no_capture },
	{ "cudaStreamSynchronize", ok },
	{ "cudaStreamWaitEvent", ok },
	{ "cudaThreadExchangeStreamCaptureMode", ok },
	{ "cuCtxGetCurrent", context },
	{ "cuDeviceGet", driver_device },
	{ "cuDeviceGetAttribute", attribute },
	{ "cuDriverGetVersion", version },
	{ "cuGetErrorName", error_words },
	{ "cuGetErrorString", error_words },
	{ "cuGetProcAddress", proc_address },
	{ "cuInit", ok },
};

void *fake_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fakes) / sizeof(*fakes); i++)
		if (!strcmp(fakes[i].name, name))
			return fakes[i].fn;
	return NULL;
}
