#include "tap.h"

#include <stdlib.h>
#include "know/secret.h"

static void variables(void)
{
	static const char *const kept[] = { "RANK", "WORLD_SIZE", "NCCL_DEBUG", "TORCH_NCCL_X",
		"MASTER_ADDR", "SLURM_JOB_ID", "LD_PRELOAD" };
	static const char *const dropped[] = { "PATH", "HOME", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"WANDB_API_KEY", "RANKS", "XRANK", "SLURM_JOB_IDS", "NCCL", "", "rank" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		tap_ok(nh_env_allowed(kept[i]), kept[i], __FILE__, __LINE__);
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		tap_ok(!nh_env_allowed(dropped[i]), dropped[i], __FILE__, __LINE__);
}

static const struct {
	const char *previous, *arg, *want;
} words[] = {
	{ NULL, "train.py", "train.py" },
	{ NULL, "--lr=0.1", "--lr=0.1" },
	{ "--lr", "0.1", "0.1" },
	{ "--password", "hunter2", "***" },
	{ "--hf-token", "short", "***" },
	{ "--password", "--verbose", "--verbose" },
	{ "--password=x", "train.py", "train.py" },
	{ "tokenizer", "train.py", "train.py" },
	{ NULL, "--password=hunter2", "--password=***" },
	{ NULL, "WANDB_API_KEY=0123", "WANDB_API_KEY=***" },
	{ NULL, "--Api-Key=0123", "--Api-Key=***" },
	{ NULL, "hf_abcdefghijklmnop", "***" },
	{ NULL, "x=ghp_0123456789abcdef", "x=***" },
	{ NULL, "sk-", "sk-" },
	{ NULL, "https://user:pw@host/x", "https://user:***@host/x" },
	{ NULL, "https://host:8080/a@b", "https://host:8080/a@b" },
	{ NULL, "https://user@host/x", "https://user@host/x" },
	{ NULL, "://", "://" },
	{ NULL, "", "" },
};

int main(void)
{
	struct nh_arena a = { 0 };

	variables();
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		tap_is(nh_mask_argument(&a, words[i].arg, words[i].previous), words[i].want,
			words[i].arg, __FILE__, __LINE__);
	nh_arena_free(&a);
	return done();
}
