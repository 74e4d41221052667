/* libnvidia-ml.so.1: what NCCL asks about devices and their links.  */
#include <stdlib.h>
#include <string.h>
#include "fake.h"

enum { OK = 0, NOT_FOUND = 6 };

/* A device's handle is its address here. */
static char devices[FAKE_GPUS];

int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned int *ret);
int nvmlDeviceGetHandleByIndex(unsigned int i, void **ret);
int nvmlDeviceGetHandleByPciBusId(const char *id, void **ret);
int nvmlDeviceGetIndex(void *dev, unsigned int *ret);
int nvmlDeviceGetCudaComputeCapability(void *dev, int *major, int *minor);
int nvmlDeviceGetP2PStatus(void *a, void *b, int which, int *ret);
const char *nvmlErrorString(int error);

int nvmlInit_v2(void)
{
	return OK;
}

int nvmlDeviceGetCount_v2(unsigned int *ret)
{
	*ret = FAKE_GPUS;
	return OK;
}

int nvmlDeviceGetHandleByIndex(unsigned int i, void **ret)
{
	if (i >= FAKE_GPUS)
		return NOT_FOUND;
	*ret = &devices[i];
	return OK;
}

int nvmlDeviceGetHandleByPciBusId(const char *id, void **ret)
{
	const char *bus = strchr(id, ':');

	return nvmlDeviceGetHandleByIndex(
		bus ? (unsigned int)strtoul(bus + 1, NULL, 16) - FAKE_FIRST_BUS : FAKE_GPUS, ret);
}

int nvmlDeviceGetIndex(void *dev, unsigned int *ret)
{
	*ret = (unsigned int)((char *)dev - devices);
	return OK;
}

int nvmlDeviceGetCudaComputeCapability(void *dev, int *major, int *minor)
{
	*major = 8;
	*minor = 0;
	return OK;
}

int nvmlDeviceGetP2PStatus(void *a, void *b, int which, int *ret)
{
	*ret = 0; /* NVML_P2P_STATUS_OK */
	return OK;
}

const char *nvmlErrorString(int error)
{
	return "fake NVML error";
}
