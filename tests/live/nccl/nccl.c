#include <dlfcn.h>
#include <err.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fake.h"
#include "nccl.h"

char *beside(const char *name)
{
	char exe[4096], *ret;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		err(1, "/proc/self/exe");
	exe[n] = '\0';
	*(strrchr(exe, '/') + 1) = '\0';
	if (asprintf(&ret, "%s%s", exe, name) < 0)
		err(1, "asprintf");
	return ret;
}

static void *load(const char *file)
{
	void *ret = dlopen(file, RTLD_NOW | RTLD_GLOBAL);

	if (!ret)
		errx(1, "%s", dlerror());
	return ret;
}

void nccl_load(const char *lib, const char *symbols, struct nccl *ret)
{
	static const struct {
		const char *name;
		size_t to;
	} wanted[] = {
		{ "ncclGetVersion", offsetof(struct nccl, get_version) },
		{ "ncclGetUniqueId", offsetof(struct nccl, get_unique_id) },
		{ "ncclCommInitRank", offsetof(struct nccl, init_rank) },
		{ "ncclCommAbort", offsetof(struct nccl, abort) },
		{ "ncclCommDestroy", offsetof(struct nccl, destroy) },
		{ "ncclGetLastError", offsetof(struct nccl, last_error) },
	};
	char *nvml = beside("libnvidia-ml.so.1");
	Dl_info where;
	void *handle;
	int n;

	load(nvml); /* NCCL's own dlopen by that name then finds this one */
	free(nvml);
	handle = load(lib);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *fn = dlsym(handle, wanted[i].name);

		if (!fn)
			errx(1, "%s has no %s", lib, wanted[i].name);
		memcpy((char *)ret + wanted[i].to, &fn, sizeof(fn));
	}
	if (!dladdr((void *)ret->get_version, &where))
		errx(1, "%s is nowhere", lib);
	n = fake_patch(symbols, where.dli_fbase);
	if (n < 0)
		errx(1, "%s: cannot put the fake CUDA under it: %s", symbols, strerror(-n));
}
