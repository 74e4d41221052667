/* Why a GPU lowers its clocks: the bits of NVML and nvidia-smi, by name and meaning. */
#ifndef NH_KNOW_GPU_H
#define NH_KNOW_GPU_H

#include <stdbool.h>
#include <stdint.h>

struct nh_throttle {
	uint64_t bit; /* nvmlClocksThrottleReason…, later nvmlClocksEventReason… */
	const char *name;
	bool bad; /* it slows a job down against somebody's will */
	const char *meaning;
};

extern const struct nh_throttle nh_throttles[]; /* ends with name == NULL */
/* NULL for a name that is not known. */
const struct nh_throttle *nh_throttle(const char *name);

#endif
