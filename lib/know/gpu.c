#include "know/gpu.h"

#include <stddef.h>
#include <string.h>

/* One row a line. */
/* clang-format off */
const struct nh_throttle nh_throttles[] = {
	{ 0x001, "gpu_idle", false, "nothing runs on it" },
	{ 0x002, "applications_clocks", false, "clocks were set" },
	{ 0x004, "sw_power_cap", false, "at its power limit, as under full load" },
	{ 0x008, "hw_slowdown", true, "the hardware at least halves the clocks: heat, power or an external brake" },
	{ 0x010, "sync_boost", false, "waits for the clocks of its boost group" },
	{ 0x020, "sw_thermal", true, "the driver lowers clocks against heat" },
	{ 0x040, "hw_thermal", true, "the hardware at least halves the clocks against heat" },
	{ 0x080, "hw_power_brake", true, "the power supply's brake is asserted" },
	{ 0x100, "display_clocks", false, "clocks are bound by a display" },
	{ 0, NULL, false, NULL },
};
/* clang-format on */

const struct nh_throttle *nh_throttle(const char *name)
{
	for (const struct nh_throttle *t = nh_throttles; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
