/*
 * NVML (libnvidia-ml.so.1) by its public C interface.  Every function is looked up by name: what an
 * older or a newer driver lacks stays unknown.  Only reads: no CUDA context, no setting, no reset.
 */
#include "collect/gpu.h"

#include <errno.h>

#ifdef NH_STATIC

int nh_gpu_ask_nvml(struct nh_gpu_teller *t)
{
	return -ENOENT; /* a static program has no dlopen to speak of */
}

#else

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include "base/str.h"

/* nvmlReturn_t */
enum { SUCCESS = 0, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15, RESET_REQUIRED = 16 };
enum { GPUS_MAX = 64, PIDS_MAX = 512, TEXT = 96 };

typedef struct device *device; /* nvmlDevice_t */
/* What most functions look like: a value, or a value of some kind. */
typedef int get_fn(device, unsigned *);
typedef int get_kind_fn(device, unsigned, unsigned *);

struct memory { /* nvmlMemory_t */
	unsigned long long total, free, used;
};

struct utilization { /* nvmlUtilization_t: percent of the last sample period */
	unsigned gpu, memory;
};

/* nvmlProcessInfo_v1_t and _v2_t.  The function of suffix _v3 is not asked: drivers differ in
 * whether its rows end with one more member. */
struct process_v1 {
	unsigned pid;
	unsigned long long used;
};

struct process_v2 {
	unsigned pid;
	unsigned long long used;
	unsigned instance, compute_instance;
};

struct pci_info { /* nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3 */
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char text[32];
};

struct nvml {
	struct nh_gpu_teller *t;
	void *lib;
	device dev;
	struct nh_gpu *g;
	const char *driver;
};

static void *function(const struct nvml *n, const char *name)
{
	return dlsym(n->lib, name);
}

static const char *words_of(const struct nvml *n, int rc)
{
	const char *(*f)(int) = function(n, "nvmlErrorString");
	const char *s = f ? f(rc) : NULL;

	return nh_arena_printf(n->t->c.arena, "NVML error %d%s%s", rc, s ? ": " : "", s ? s : "");
}

/* A GPU that has gone says so to whatever is asked of it; what else fails it does not have. */
static bool worked(const struct nvml *n, int rc)
{
	if ((rc == GPU_IS_LOST || rc == RESET_REQUIRED) && !n->g->trouble) {
		n->g->trouble = rc == GPU_IS_LOST ? NH_GPU_LOST : NH_GPU_RESET;
		n->g->error = words_of(n, rc);
	}
	return rc == SUCCESS;
}

#define FIELD(f) offsetof(struct nh_gpu, f)

static void read_values(const struct nvml *n)
{
	static const struct {
		const char *name;
		size_t field;
	} rows[] = {
		{ "nvmlDeviceGetMinorNumber", FIELD(minor) },
		{ "nvmlDeviceGetPowerUsage", FIELD(power_mw) },
		{ "nvmlDeviceGetEnforcedPowerLimit", FIELD(power_limit_mw) },
		{ "nvmlDeviceGetCurrPcieLinkWidth", FIELD(pcie_width) },
		{ "nvmlDeviceGetMaxPcieLinkWidth", FIELD(pcie_width_max) },
		{ "nvmlDeviceGetCurrPcieLinkGeneration", FIELD(pcie_gen) },
		{ "nvmlDeviceGetMaxPcieLinkGeneration", FIELD(pcie_gen_max) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		get_fn *f = function(n, rows[i].name);
		unsigned v;

		if (f && worked(n, f(n->dev, &v)))
			*(int64_t *)((char *)n->g + rows[i].field) = v;
	}
}

static void read_kinds(const struct nvml *n)
{
	/* Kinds: NVML_TEMPERATURE_GPU, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, NVML_CLOCK_SM. */
	static const struct {
		const char *name;
		unsigned kind;
		size_t field;
	} rows[] = {
		{ "nvmlDeviceGetTemperature", 0, FIELD(temperature_c) },
		{ "nvmlDeviceGetTemperatureThreshold", 1, FIELD(slowdown_c) },
		{ "nvmlDeviceGetClockInfo", 1, FIELD(sm_clock_mhz) },
		{ "nvmlDeviceGetMaxClockInfo", 1, FIELD(sm_clock_max_mhz) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		get_kind_fn *f = function(n, rows[i].name);
		unsigned v;

		if (f && worked(n, f(n->dev, rows[i].kind, &v)))
			*(int64_t *)((char *)n->g + rows[i].field) = v;
	}
}

static void read_flags(const struct nvml *n)
{
	get_fn *retired = function(n, "nvmlDeviceGetRetiredPagesPendingStatus");
	get_fn *persistence = function(n, "nvmlDeviceGetPersistenceMode");
	int (*mig)(device, unsigned *, unsigned *) = function(n, "nvmlDeviceGetMigMode");
	int (*remap)(device, unsigned *, unsigned *, unsigned *, unsigned *) =
		function(n, "nvmlDeviceGetRemappedRows");
	unsigned v, corrected, uncorrected, failed;

	if (retired && worked(n, retired(n->dev, &v)))
		n->g->retired_pending = v;
	if (persistence && worked(n, persistence(n->dev, &v)))
		n->g->persistence = v;
	if (mig && worked(n, mig(n->dev, &v, &corrected)))
		n->g->mig = v;
	if (remap && worked(n, remap(n->dev, &corrected, &uncorrected, &v, &failed))) {
		n->g->remap_pending = v;
		n->g->remap_failed = failed;
	}
}

static void read_counters(const struct nvml *n)
{
	int (*memory)(device, struct memory *) = function(n, "nvmlDeviceGetMemoryInfo");
	int (*busy)(device, struct utilization *) = function(n, "nvmlDeviceGetUtilizationRates");
	/* NVML_MEMORY_ERROR_TYPE_UNCORRECTED of NVML_VOLATILE_ECC */
	int (*ecc)(device, int, int, unsigned long long *) =
		function(n, "nvmlDeviceGetTotalEccErrors");
	int (*why)(device, unsigned long long *) =
		function(n, "nvmlDeviceGetCurrentClocksThrottleReasons");
	struct utilization u;
	unsigned long long v;
	struct memory m;

	if (!why) /* its name since driver 535 */
		why = function(n, "nvmlDeviceGetCurrentClocksEventReasons");
	if (memory && worked(n, memory(n->dev, &m))) {
		n->g->mem_used_bytes = (int64_t)m.used;
		n->g->mem_total_bytes = (int64_t)m.total;
	}
	if (busy && worked(n, busy(n->dev, &u)))
		n->g->gpu_util_percent = u.gpu;
	if (ecc && worked(n, ecc(n->dev, 1, 0, &v)))
		n->g->ecc_uncorrected = (int64_t)v;
	if (why && worked(n, why(n->dev, &v)))
		nh_gpu_throttle(n->t->c.arena, n->g, v);
}

static void read_names(const struct nvml *n)
{
	int (*uuid)(device, char *, unsigned) = function(n, "nvmlDeviceGetUUID");
	int (*name)(device, char *, unsigned) = function(n, "nvmlDeviceGetName");
	int (*pci)(device, struct pci_info *) = function(n, "nvmlDeviceGetPciInfo_v3");
	struct nh_arena *a = n->t->c.arena;
	struct pci_info p = { 0 };
	char text[TEXT] = "";

	if (uuid && worked(n, uuid(n->dev, text, sizeof(text))))
		n->g->uuid = nh_utf8_repair(a, text, strnlen(text, sizeof(text)));
	if (name && worked(n, name(n->dev, text, sizeof(text))))
		n->g->name = nh_utf8_repair(a, text, strnlen(text, sizeof(text)));
	if (pci && worked(n, pci(n->dev, &p)))
		n->g->pci = nh_utf8_repair(a, p.text, strnlen(p.text, sizeof(p.text)));
	n->g->driver = n->driver;
}

static void read_pids(const struct nvml *n)
{
	int (*f)(device, unsigned *, void *) =
		function(n, "nvmlDeviceGetComputeRunningProcesses_v2");
	size_t size = f ? sizeof(struct process_v2) : sizeof(struct process_v1);
	struct nh_arena *a = n->t->c.arena;
	unsigned count = PIDS_MAX;
	char *rows;

	if (!f)
		f = function(n, "nvmlDeviceGetComputeRunningProcesses");
	if (!f)
		return;
	rows = nh_arena_alloc(a, PIDS_MAX, size);
	if (!worked(n, f(n->dev, &count, rows)))
		return;
	/* Both layouts begin with the PID. */
	for (unsigned i = 0; i < count && i < PIDS_MAX; i++) {
		const struct process_v1 *p = (const void *)(rows + i * size);

		*nh_push(a, &n->g->pids) = p->pid;
	}
}

static void read_gpu(struct nvml *n, unsigned index)
{
	int (*handle)(unsigned, device *) = function(n, "nvmlDeviceGetHandleByIndex_v2");
	struct nh_gpu *g = nh_case_row(&n->t->c, gpu, gpus);
	int rc;

	/* Whatever does not come to its end has been begun. */
	g->index = index;
	g->trouble = NH_GPU_SILENT;
	nh_gpu_tell(n->t);
	n->g = g = nh_case_row(&n->t->c, gpu, gpus);
	g->index = index;
	rc = handle(index, &n->dev);
	if (!worked(n, rc) && !g->trouble) {
		g->trouble = NH_GPU_UNREADABLE;
		g->error = words_of(n, rc);
	}
	if (rc == SUCCESS) {
		/* The names first: of a lost GPU they may be known still. */
		read_names(n);
		read_values(n);
		read_kinds(n);
		read_flags(n);
		read_counters(n);
		read_pids(n);
	}
	nh_gpu_tell(n->t);
}

static const char *driver_of(const struct nvml *n)
{
	int (*f)(char *, unsigned) = function(n, "nvmlSystemGetDriverVersion");
	char text[TEXT] = "";

	if (!f || f(text, sizeof(text)) != SUCCESS)
		return NULL;
	return nh_utf8_repair(n->t->c.arena, text, strnlen(text, sizeof(text)));
}

int nh_gpu_ask_nvml(struct nh_gpu_teller *t)
{
	struct nvml n = { .t = t, .lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL) };
	int (*init)(void), (*count)(unsigned *);
	unsigned gpus = 0;
	int rc;

	if (!n.lib)
		return -ENOENT;
	init = function(&n, "nvmlInit_v2");
	count = function(&n, "nvmlDeviceGetCount_v2");
	if (!init || !count || !function(&n, "nvmlDeviceGetHandleByIndex_v2"))
		return -ENOENT;
	rc = init();
	if (rc == SUCCESS)
		rc = count(&gpus);
	if (rc != SUCCESS) {
		nh_gpu_tell_error(t, words_of(&n, rc));
		return 0;
	}
	n.driver = driver_of(&n);
	for (unsigned i = 0; i < gpus && i < GPUS_MAX; i++)
		read_gpu(&n, i);
	/* No nvmlShutdown: this process ends now, and there is no reason to wait for the driver. */
	return 0;
}

#endif
