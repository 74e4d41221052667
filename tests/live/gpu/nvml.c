/*
 * A libnvidia-ml that has two GPUs of which only it knows.  Built in the manners of its defines:
 * HANGS=N: the N-th call that may block never returns (0 nvmlInit, 1 and 2 the handles of the GPUs)
 * LOSES=RC: the second GPU's handle gives that error; LOSES_LATE=RC: its temperature does
 * FAILS=RC: nvmlInit does; CRASHES: it dies; OLD: what came later is not there
 * The pids that compute on the first and the second GPU: NVML_PIDS="N M".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HANGS
#define HANGS -1
#endif
#ifndef LOSES
#define LOSES 0
#endif
#ifndef LOSES_LATE
#define LOSES_LATE 0
#endif
#ifndef FAILS
#define FAILS 0
#endif

struct device {
	unsigned index;
};
static struct device devices[2] = { { 0 }, { 1 } };

static void may_hang(int call)
{
	while (call == HANGS)
		pause();
}

int nvmlInit_v2(void)
{
	may_hang(0);
#ifdef CRASHES
	raise(SIGSEGV);
#endif
	return FAILS;
}

const char *nvmlErrorString(int rc)
{
	return rc == 15 ? "GPU is lost" : rc == 9 ? "Driver Not Loaded" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = 2;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct device **ret)
{
	may_hang((int)i + 1);
	*ret = &devices[i];
	return i ? LOSES : 0;
}

int nvmlDeviceGetUUID(struct device *d, char *buf, unsigned n)
{
	snprintf(buf, n, "GPU-5e0b4bd1-0000-0000-0000-00000000000%u", d->index);
	return 0;
}

int nvmlDeviceGetName(struct device *d, char *buf, unsigned n)
{
	snprintf(buf, n, "NVIDIA T\033[31mest");
	return 0;
}

int nvmlDeviceGetMinorNumber(struct device *d, unsigned *v)
{
	*v = d->index + 4;
	return 0;
}

int nvmlDeviceGetTemperature(struct device *d, int sensor, unsigned *v)
{
	*v = 45;
	return sensor ? 2 : d->index ? LOSES_LATE : 0;
}

/* The first is busy at idle power, the second rests. */
int nvmlDeviceGetUtilizationRates(struct device *d, unsigned v[2])
{
	v[0] = d->index ? 0 : 100;
	v[1] = 7;
	return 0;
}

int nvmlDeviceGetPowerUsage(struct device *d, unsigned *v)
{
	*v = 95500;
	return 0;
}

int nvmlDeviceGetMemoryInfo(struct device *d, unsigned long long v[3])
{
	v[0] = 80ULL << 30;
	v[1] = 60ULL << 30;
	v[2] = 20ULL << 30;
	return 0;
}

static int pid_of(unsigned index)
{
	const char *s = getenv("NVML_PIDS");

	s = s && index ? strchr(s, ' ') : s;
	return s ? atoi(s) : 0;
}

struct v1 {
	unsigned pid;
	unsigned long long used;
};

int nvmlDeviceGetComputeRunningProcesses(struct device *d, unsigned *n, struct v1 *rows)
{
	*n = 1;
	rows[0] = (struct v1){ (unsigned)pid_of(d->index), 1 };
	return 0;
}

#ifndef OLD
int nvmlSystemGetDriverVersion(char *buf, unsigned n)
{
	snprintf(buf, n, "535.104.05");
	return 0;
}

int nvmlDeviceGetPciInfo_v3(struct device *d, void *ret)
{
	memset(ret, 0, 68);
	sprintf((char *)ret + 36, "00000000:%02X:00.0", d->index + 0x19);
	return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(struct device *d, unsigned *v)
{
	*v = 700000;
	return 0;
}

int nvmlDeviceGetTemperatureThreshold(struct device *d, int kind, unsigned *v)
{
	*v = 89;
	return kind != 1;
}

int nvmlDeviceGetClockInfo(struct device *d, int kind, unsigned *v)
{
	*v = 1980;
	return kind != 1;
}

int nvmlDeviceGetMaxClockInfo(struct device *d, int kind, unsigned *v)
{
	*v = 1981;
	return kind != 1;
}

int nvmlDeviceGetCurrPcieLinkWidth(struct device *d, unsigned *v)
{
	*v = d->index ? 16 : 8;
	return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(struct device *d, unsigned *v)
{
	*v = 16;
	return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(struct device *d, unsigned *v)
{
	*v = 1;
	return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(struct device *d, unsigned *v)
{
	*v = 5;
	return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(struct device *d, unsigned long long *v)
{
	*v = d->index ? 1 : 0x48;
	return 0;
}

int nvmlDeviceGetTotalEccErrors(struct device *d, int type, int counter, unsigned long long *v)
{
	*v = d->index ? 0 : 3;
	return type == 1 && counter == 0 ? 0 : 2;
}

int nvmlDeviceGetRemappedRows(
	struct device *d, unsigned *c, unsigned *u, unsigned *pending, unsigned *failed)
{
	*c = *u = *failed = 0;
	*pending = !d->index;
	return 0;
}

int nvmlDeviceGetPersistenceMode(struct device *d, unsigned *v)
{
	*v = 1;
	return 0;
}

int nvmlDeviceGetMigMode(struct device *d, unsigned *v, unsigned *pending)
{
	return 3;
}

int nvmlDeviceGetRetiredPagesPendingStatus(struct device *d, unsigned *v)
{
	return 3;
}

struct v2 {
	struct v1 v1;
	unsigned instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v2(struct device *d, unsigned *n, struct v2 *rows)
{
	if (*n < 2)
		return 7;
	*n = 2;
	memset(rows, 0, 2 * sizeof(*rows));
	rows[0].v1.pid = (unsigned)pid_of(d->index);
	rows[1].v1.pid = 1;
	return 0;
}
#endif
