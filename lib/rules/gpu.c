#include "rules/gpu.h"

#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "know/env.h"

const char *nh_gpu_name(struct nh_arena *a, const struct nh_gpu *g)
{
	const char *number =
		g->index == NH_UNKNOWN ? "GPU" : nh_arena_printf(a, "GPU %jd", (intmax_t)g->index);

	if (!g->name && !g->pci)
		return number;
	return nh_arena_printf(a, "%s (%s%s%s)", number, g->name ? g->name : "",
		g->name && g->pci ? ", " : "", g->pci ? g->pci : "");
}

/* The i-th of words between commas, NULL where there are fewer. */
static const char *word(struct nh_arena *a, const char *list, int64_t i)
{
	for (; i > 0 && list; i--) {
		list = strchr(list, ',');
		list += list != NULL;
	}
	return list && *list ? nh_arena_strndup(a, list, strcspn(list, ",")) : NULL;
}

/*
 * The number or uuid that the environment chooses by the custom of launchers, the LOCAL_RANK-th
 * visible GPU; NULL where it leaves that open, as inside a container with GPUs of its own numbers.
 */
static const char *chosen(struct nh_arena *a, const struct nh_process *p)
{
	const char *visible = nh_env_get(p, "CUDA_VISIBLE_DEVICES"),
		   *local = nh_env_get(p, "LOCAL_RANK");
	const char *container = nh_env_get(p, "NVIDIA_VISIBLE_DEVICES");

	if (container && strcmp(container, "all") != 0)
		return NULL;
	if (visible && !strchr(visible, ','))
		return *visible ? visible : NULL;
	if (nh_env_int(local) == NH_UNKNOWN)
		return NULL;
	return visible ? word(a, visible, nh_env_int(local)) : local;
}

static bool names(const char *word, const struct nh_gpu *g)
{
	char *end;
	long index = strtol(word, &end, 10);

	if (!*end)
		return index == g->index;
	return g->uuid && nh_starts_with(word, "GPU-") && nh_starts_with(g->uuid, word);
}

/* The device file of the GPU, if the process has it open.  Of a lost GPU the driver does not tell
 * the file's number any more: it is the GPU's own, unless GPUs were exchanged meanwhile. */
static const char *opened(struct nh_arena *a, const struct nh_case *c, int64_t sample,
	const struct nh_process *p, const struct nh_gpu *g)
{
	int64_t minor = g->minor != NH_UNKNOWN ? g->minor : g->index;
	const char *path = nh_arena_printf(a, "/dev/nvidia%jd", (intmax_t)minor);

	nh_for(fd, &c->fds)
		if (fd->pid == p->pid && fd->sample == sample && nh_streq(fd->path, path))
			return path;
	return NULL;
}

static bool listed(const struct nh_process *p, const struct nh_gpu *g)
{
	nh_for(pid, &g->pids)
		if (*pid == p->pid)
			return true;
	return false;
}

static const char *env_words(struct nh_arena *a, const struct nh_process *p)
{
	const char *visible = nh_env_get(p, "CUDA_VISIBLE_DEVICES"),
		   *local = nh_env_get(p, "LOCAL_RANK");

	return nh_arena_printf(a, "%s%s%s%s%s", visible ? "CUDA_VISIBLE_DEVICES=" : "",
		visible ? visible : "", visible && local ? " " : "", local ? "LOCAL_RANK=" : "",
		local ? local : "");
}

void nh_gpu_users_of(struct nh_arena *a, const struct nh_case *c, const struct nh_gpu *g,
	struct nh_gpu_users *ret)
{
	int64_t last = c->samples.n ? c->samples.v[c->samples.n - 1].sample : NH_UNKNOWN;

	memset(ret, 0, sizeof(*ret));
	nh_for(p, &c->processes) {
		struct nh_gpu_user u = { .p = p, .driver = listed(p, g) };
		const char *choice;

		if (p->sample != last || p->why == NH_WHY_ANCESTOR)
			continue;
		choice = chosen(a, p);
		if (choice && names(choice, g))
			u.env = env_words(a, p);
		if (!choice || u.env)
			u.opens = opened(a, c, last, p, g);
		if (u.driver || u.env || u.opens)
			*nh_push(a, ret) = u;
	}
}
