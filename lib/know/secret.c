#include "know/secret.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include "base/str.h"

/* What a training job's behaviour depends on; a trailing '*' is a prefix. */
static const char *const allowed[] = {
	"NCCL_*",
	"TORCH_*",
	"PYTORCH_*",
	"CUDA_*",
	"GLOO_*",
	"UCX_*",
	"FI_*",
	"RANK",
	"WORLD_SIZE",
	"LOCAL_RANK",
	"LOCAL_WORLD_SIZE",
	"GROUP_RANK",
	"GROUP_WORLD_SIZE",
	"ROLE_*",
	"MASTER_ADDR",
	"MASTER_PORT",
	"TORCHELASTIC_*",
	"SLURM_JOB_ID",
	"SLURM_PROCID",
	"SLURM_LOCALID",
	"SLURM_NODEID",
	"SLURM_NTASKS",
	"SLURM_STEP_ID",
	"OMPI_COMM_WORLD_*",
	"PMI_RANK",
	"PMI_SIZE",
	"PMIX_RANK",
	"OMP_NUM_THREADS",
	"NVIDIA_VISIBLE_DEVICES",
	"LD_PRELOAD",
	"PYTHONFAULTHANDLER",
};

bool nh_env_allowed(const char *name)
{
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++) {
		size_t n = strlen(allowed[i]);

		if (allowed[i][n - 1] == '*' ? !strncmp(name, allowed[i], n - 1)
					     : !strcmp(name, allowed[i]))
			return true;
	}
	return false;
}

static bool names_secret(const char *name, size_t n)
{
	static const char *const words[] = { "password", "passwd", "token", "secret", "api_key",
		"api-key", "apikey", "credential", "access_key", "access-key", "private_key" };

	for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
		for (size_t i = 0, len = strlen(words[w]); i + len <= n; i++)
			if (!strncasecmp(name + i, words[w], len))
				return true;
	return false;
}

static bool looks_like_token(const char *s)
{
	static const char *const prefixes[] = { "hf_", "sk-", "ghp_", "gho_", "github_pat_",
		"glpat-", "xoxb-", "xoxp-", "AKIA", "ASIA", "eyJ", "wandb_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (nh_starts_with(s, prefixes[i]) && strlen(s) >= 16)
			return true;
	return false;
}

/* scheme://user:password@host → scheme://user:***@host */
static const char *mask_url(struct nh_arena *a, const char *arg)
{
	const char *user = strstr(arg, "://");

	if (!user)
		return arg;
	user += 3;

	const char *at = strpbrk(user, "@/?#");
	const char *colon = memchr(user, ':', at ? (size_t)(at - user) : 0);

	if (!at || *at != '@' || !colon)
		return arg;
	return nh_arena_printf(a, "%.*s***%s", (int)(colon + 1 - arg), arg, at);
}

const char *nh_mask_argument(struct nh_arena *a, const char *arg, const char *previous)
{
	const char *eq = strchr(arg, '=');

	if (eq && (names_secret(arg, (size_t)(eq - arg)) || looks_like_token(eq + 1)))
		return nh_arena_printf(a, "%.*s=***", (int)(eq - arg), arg);
	if (previous && previous[0] == '-' && !strchr(previous, '=') && arg[0] != '-' &&
		names_secret(previous, strlen(previous)))
		return "***";
	if (looks_like_token(arg))
		return "***";
	return mask_url(a, arg);
}
