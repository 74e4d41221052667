/* Tables, one row a line. */
/* clang-format off */
#include "model/gpu.h"
#include "model/types.h"

static const char *const trouble_names[] = { "", "lost", "reset-required", "silent", "unreadable",
	NULL };

#define S nh_gpu
TYPE(nh_gpu_type, "gpu",
	F(INT, index),
	F(INT, minor),
	P(STR, uuid, SECRET),
	F(STR, name),
	F(STR, pci),
	F(STR, driver),
	F(INT, temperature_c),
	F(INT, slowdown_c),
	F(INT, power_mw),
	F(INT, power_limit_mw),
	F(INT, sm_clock_mhz),
	F(INT, sm_clock_max_mhz),
	F(INT, gpu_util_percent),
	F(INT, mem_used_bytes),
	F(INT, mem_total_bytes),
	F(INT, pcie_width),
	F(INT, pcie_width_max),
	F(INT, pcie_gen),
	F(INT, pcie_gen_max),
	F(INT, ecc_uncorrected),
	F(BOOL, remap_pending),
	F(BOOL, remap_failed),
	F(BOOL, retired_pending),
	F(BOOL, persistence),
	F(BOOL, mig),
	F(STRS, throttle),
	F(INTS, pids),
	E(trouble, trouble_names),
	F(STR, error));
#undef S
