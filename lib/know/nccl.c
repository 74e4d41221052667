#include "know/nccl.h"

#include <string.h>

bool nh_nccl_service_shape(const struct nh_wait *w)
{
	enum { SLOTS_TO_2_24 = 65, SLOTS_FROM_2_25 = 74, SLOTS_MAX = 4096 };

	return w->kind == NH_WAIT_POLL && (w->timeout_ms == 500 || w->timeout_ms == 0) &&
	       (w->nfds == SLOTS_TO_2_24 || (w->nfds >= SLOTS_FROM_2_25 && w->nfds <= SLOTS_MAX));
}

bool nh_is_training_library(const char *path)
{
	static const char *const stems[] = { "libnccl.so", "libnccl-", "libtorch", "libc10_cuda",
		"librccl.so" };
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++)
		if (!strncmp(base, stems[i], strlen(stems[i])))
			return true;
	return false;
}
