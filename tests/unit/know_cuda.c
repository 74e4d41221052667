#include "tap.h"

#include "know/cuda.h"

static enum nh_cuda_kind kind(const char *func)
{
	return nh_cuda_kind(&(struct nh_frame){ .func = func });
}

static void names(void)
{
	ok(kind("cuStreamSynchronize") == NH_CUDA_SYNC);
	ok(kind("cuStreamSynchronize_ptsz") == NH_CUDA_SYNC);
	ok(kind("cudaDeviceSynchronize") == NH_CUDA_SYNC);
	ok(kind("cuMemcpyDtoH_v2") == NH_CUDA_COPY);
	ok(kind("cuMemcpyDtoH_v2_ptds") == NH_CUDA_COPY);
	ok(kind("cuMemFree_v2") == NH_CUDA_FREE && kind("cuMemFreeHost") == NH_CUDA_FREE);
	ok(kind("cudart::cudaApiFree") == NH_CUDA_FREE);
	ok(kind("cudaFreeHost") == NH_CUDA_FREE);
	ok(kind("cudaMallocHost") == NH_CUDA_ALLOC);
	ok(kind("cuLibraryLoadData") == NH_CUDA_MODULE);
	ok(kind("cuModuleLoadDataEx") == NH_CUDA_MODULE);
	ok(kind("cudaLaunchKernel") == NH_CUDA_LAUNCH &&
		kind("cuLaunchKernelEx") == NH_CUDA_LAUNCH);
	ok(kind("cuStreamQuery") == NH_CUDA_QUERY);
	ok(kind("cudaMemcpy(void*, void const*, unsigned long, cudaMemcpyKind)") == NH_CUDA_COPY);
}

static void others(void)
{
	const struct nh_frame guess = { .func = "cuStreamSynchronize", .nearest = true };
	const struct nh_frame python = { .func = "cudaFree", .python = true };

	ok(kind("cudaMemcpyAsync") == NH_CUDA_NONE && kind("cuMemFreeAsync_ptsz") == NH_CUDA_NONE);
	ok(kind("cuInit") == NH_CUDA_NONE && kind("cut") == NH_CUDA_NONE);
	ok(kind(NULL) == NH_CUDA_NONE && kind("") == NH_CUDA_NONE);
	ok(nh_cuda_kind(&guess) == NH_CUDA_NONE && nh_cuda_kind(&python) == NH_CUDA_NONE);
	ok(nh_cuda_syncs(NH_CUDA_COPY) && !nh_cuda_syncs(NH_CUDA_FREE));
	ok(nh_cuda_syncs_by_the_way(NH_CUDA_MODULE) && !nh_cuda_syncs_by_the_way(NH_CUDA_LAUNCH));
	ok(nh_frame_is_driver(&(struct nh_frame){ .module = "libcuda.so.535.129.03" }));
	ok(!nh_frame_is_driver(&(struct nh_frame){ .module = "libcudart.so.12" }));
}

int main(void)
{
	names();
	others();
	return done();
}
