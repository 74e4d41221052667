/* Tables, one row a line. */
/* clang-format off */
#include "know/driver.h"

#include <string.h>
#include "base/str.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Functions: prefixes of each module's sources (NVIDIA: its open kernel modules, kernel-open/nvidia*). */
static const struct nh_driver drivers[] = {
	{ "the NVIDIA driver",	{ "/dev/nvidia" },	{ "nvidia_", "nvkms_", "uvm_", "os_acquire_", "rm_", "nv0" },	"dmesg -T | grep -i -e xid -e nvrm" },
	{ "the RDMA driver",	{ "/dev/infiniband/" },	{ "ib_uverbs", "uverbs_", "mlx5_", "rdma_", "ucma_", "irdma_" },	"dmesg -T | grep -i -e mlx5 -e infiniband -e rdma" },
	{ "the EFA driver",	{ NULL },		{ "efa_" },							"dmesg -T | grep -i efa" },
	{ "the AMD GPU driver",	{ "/dev/kfd", "/dev/dri/" }, { "amdgpu_", "kfd_", "ttm_" },				"dmesg -T | grep -i amdgpu" },
};

const struct nh_driver *nh_driver_of_path(const char *path)
{
	for (size_t i = 0; path && i < COUNT(drivers); i++)
		for (size_t j = 0; j < COUNT(drivers->devices) && drivers[i].devices[j]; j++)
			if (nh_starts_with(path, drivers[i].devices[j]))
				return &drivers[i];
	return NULL;
}

static bool has_function(const struct nh_driver *d, const char *function)
{
	if (!function)
		return false;
	function += strspn(function, "_");
	for (size_t i = 0; i < COUNT(d->functions) && d->functions[i]; i++)
		if (nh_starts_with(function, d->functions[i]))
			return true;
	return false;
}

const struct nh_driver *nh_driver_of_thread(const struct nh_thread *t)
{
	for (size_t i = 0; i < COUNT(drivers); i++) {
		nh_for(function, &t->kernel)
			if (has_function(&drivers[i], *function))
				return &drivers[i];
		if (has_function(&drivers[i], t->wchan))
			return &drivers[i];
	}
	return NULL;
}
