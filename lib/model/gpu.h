/* The GPUs of the host, once a case.  Source: NVML, or nvidia-smi where it cannot be loaded. */
#ifndef NH_MODEL_GPU_H
#define NH_MODEL_GPU_H

#include "model/field.h"

/* Why a GPU cannot be read, as far as it was told. */
enum nh_gpu_trouble {
	NH_GPU_LOST = 1,   /* it fell off the bus, or cannot be reached for another reason */
	NH_GPU_RESET,	   /* it cannot be used until it is reset */
	NH_GPU_SILENT,	   /* the driver did not answer in time */
	NH_GPU_UNREADABLE, /* another error: see its words */
};

struct nh_gpu {
	int64_t index; /* NVML's, by PCI address; not CUDA's */
	int64_t minor; /* of its device file: /dev/nvidiaN; nvidia-smi does not tell it */
	int64_t temperature_c, slowdown_c; /* the latter: where the hardware slows down */
	int64_t power_mw, power_limit_mw;
	int64_t sm_clock_mhz, sm_clock_max_mhz;
	int64_t gpu_util_percent; /* of the last moments, in which a kernel ran */
	int64_t mem_used_bytes, mem_total_bytes;
	int64_t pcie_width, pcie_width_max;
	int64_t pcie_gen, pcie_gen_max;	  /* idle GPUs lower the former on purpose */
	int64_t ecc_uncorrected;	  /* since the driver was loaded */
	int trouble;			  /* enum nh_gpu_trouble */
	bool remap_pending, remap_failed; /* rows of its memory */
	bool retired_pending;		  /* pages of its memory, before Ampere */
	bool persistence, mig;
	NH_VEC(const char *) throttle; /* why clocks are lowered; know/gpu.h has the names */
	NH_VEC(int64_t) pids;	       /* processes that compute on it, in the driver's numbers */
	const char *uuid, *name, *pci, *driver;
	const char *error; /* why it cannot be read */
};

extern const struct nh_type nh_gpu_type;

#endif
