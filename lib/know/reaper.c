#include "know/reaper.h"

#include <string.h>

bool nh_is_reaper(const struct nh_process *p)
{
	static const char *const names[] = { "systemd", "init", "tini", "dumb-init", "docker-init",
		"catatonit", "s6-svscan", "containerd-shim", "conmon", "slurmstepd", "pause" };

	if (p->pid == 1 || (p->nspid.n && p->nspid.v[p->nspid.n - 1] == 1))
		return true;
	for (size_t i = 0; p->comm && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(p->comm, names[i], strlen(names[i])))
			return true;
	return false;
}
