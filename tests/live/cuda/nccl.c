/* A libnccl.so.2 that does nothing but launch. */
int cuLaunchKernel(void);

static __attribute__((noinline)) int ncclLaunchKernel(void)
{
	return cuLaunchKernel() + 1;
}

int ncclGroupEnd(void)
{
	return ncclLaunchKernel() + 1;
}
