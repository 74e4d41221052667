#include "know/checkpoint.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define KEY_MAX 64

/* Without the endings below, in lower case; "state_dict" alone is what Lightning calls the model.
 */
static const struct {
	const char *key;
	int state;
} keys[] = {
	{ "model", NH_CKPT_MODEL },
	{ "module", NH_CKPT_MODEL },
	{ "net", NH_CKPT_MODEL },
	{ "network", NH_CKPT_MODEL },
	{ "weights", NH_CKPT_MODEL },
	{ "model0", NH_CKPT_MODEL },
	{ "model1", NH_CKPT_MODEL },
	{ "optim", NH_CKPT_OPTIMIZER },
	{ "optims", NH_CKPT_OPTIMIZER },
	{ "optimizer", NH_CKPT_OPTIMIZER },
	{ "optimizers", NH_CKPT_OPTIMIZER },
	{ "opt", NH_CKPT_OPTIMIZER },
	{ "scheduler", NH_CKPT_SCHEDULER },
	{ "schedulers", NH_CKPT_SCHEDULER },
	{ "sched", NH_CKPT_SCHEDULER },
	{ "lr_scheduler", NH_CKPT_SCHEDULER },
	{ "lr_schedulers", NH_CKPT_SCHEDULER },
	{ "lr_sched", NH_CKPT_SCHEDULER },
	{ "opt_param_scheduler", NH_CKPT_SCHEDULER },
	{ "loader", NH_CKPT_DATA },
	{ "dataloader", NH_CKPT_DATA },
	{ "data_loader", NH_CKPT_DATA },
	{ "train_loader", NH_CKPT_DATA },
	{ "train_dataloader", NH_CKPT_DATA },
	{ "dataset", NH_CKPT_DATA },
	{ "train_iterator", NH_CKPT_DATA },
	{ "data_iterator", NH_CKPT_DATA },
	{ "sampler", NH_CKPT_DATA },
	{ "data_sampler", NH_CKPT_DATA },
	{ "consumed_samples", NH_CKPT_DATA },
	{ "consumed_train_samples", NH_CKPT_DATA },
	{ "_sampler_iter_yielded", NH_CKPT_DATA },
	{ "_iterator_finished", NH_CKPT_DATA },
	{ "rng", NH_CKPT_RNG },
	{ "rngs", NH_CKPT_RNG },
	{ "random", NH_CKPT_RNG },
	{ "random_rng", NH_CKPT_RNG },
	{ "np_rng", NH_CKPT_RNG },
	{ "cpu_rng", NH_CKPT_RNG },
	{ "torch_rng", NH_CKPT_RNG },
	{ "rng_tracker", NH_CKPT_RNG },
	{ "torch_manual_seed", NH_CKPT_RNG },
	{ "cuda_rng", NH_CKPT_CUDA_RNG },
	{ "gpu_rng", NH_CKPT_CUDA_RNG },
	{ "torch_cuda_rng", NH_CKPT_CUDA_RNG },
	{ "cuda_rng_state_all", NH_CKPT_CUDA_RNG },
	{ "torch_cuda_manual_seed", NH_CKPT_CUDA_RNG },
	{ "step", NH_CKPT_PROGRESS },
	{ "steps", NH_CKPT_PROGRESS },
	{ "global_step", NH_CKPT_PROGRESS },
	{ "global_steps", NH_CKPT_PROGRESS },
	{ "current_step", NH_CKPT_PROGRESS },
	{ "iteration", NH_CKPT_PROGRESS },
	{ "iter", NH_CKPT_PROGRESS },
	{ "epoch", NH_CKPT_PROGRESS },
};

static const char *const endings[] = { "_state_dict", "_state_dicts", "_states", "_state",
	"_dict" };

static bool cut_ending(const char *key, size_t *n, const char *ending)
{
	size_t len = strlen(ending);

	if (*n <= len || memcmp(key + *n - len, ending, len) != 0)
		return false;
	*n -= len;
	return true;
}

int nh_ckpt_key(const char *key, size_t n)
{
	char low[KEY_MAX];

	if (!n || n > sizeof(low))
		return -1;
	for (size_t i = 0; i < n; i++)
		low[i] = (char)tolower((unsigned char)key[i]);
	if (n == 10 && !memcmp(low, "state_dict", n))
		return NH_CKPT_MODEL;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (cut_ending(low, &n, endings[i]))
			break;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i].key) == n && !memcmp(keys[i].key, low, n))
			return keys[i].state;
	return -1;
}

static const struct nh_ckpt_name names[] = {
	{ ".metadata", NH_CKPT_DCP, -1, false, false },
	{ "__*_*.distcp", NH_CKPT_DCP, -1, false, false },
	{ "common.pt", NH_CKPT_MEGATRON, -1, true, false },
	{ "model_optim_rng.pt", NH_CKPT_MEGATRON, NH_CKPT_MODEL, true, false },
	{ "distrib_optim.pt", NH_CKPT_MEGATRON, NH_CKPT_OPTIMIZER, false, false },
	{ "mp_rank_[0-9][0-9]", NH_CKPT_MEGATRON, -1, false, true },
	{ "mp_rank_[0-9][0-9]_[0-9]*", NH_CKPT_MEGATRON, -1, false, true },
	{ "*_optim_states.pt", NH_CKPT_DEEPSPEED, NH_CKPT_OPTIMIZER, false, false },
	{ "*mp_rank_*_model_states.pt", NH_CKPT_DEEPSPEED, NH_CKPT_MODEL, true, false },
	{ "trainer_state.json", NH_CKPT_HF, NH_CKPT_PROGRESS, false, false },
	{ "rng_state.pth", NH_CKPT_HF, NH_CKPT_RNG, true, false },
	{ "rng_state_*.pth", NH_CKPT_HF, NH_CKPT_RNG, true, false },
	{ "optimizer.pt", NH_CKPT_HF, NH_CKPT_OPTIMIZER, false, false },
	{ "scheduler.pt", NH_CKPT_HF, NH_CKPT_SCHEDULER, false, false },
	{ "random_states_*.pkl", NH_CKPT_ACCELERATE, NH_CKPT_RNG, true, false },
	{ "scheduler.bin", NH_CKPT_ACCELERATE, NH_CKPT_SCHEDULER, false, false },
	{ "scheduler_*.bin", NH_CKPT_ACCELERATE, NH_CKPT_SCHEDULER, false, false },
	{ "sampler.bin", NH_CKPT_ACCELERATE, NH_CKPT_DATA, false, false },
	{ "sampler_*.bin", NH_CKPT_ACCELERATE, NH_CKPT_DATA, false, false },
	{ "optimizer.bin", 0, NH_CKPT_OPTIMIZER, false, false },
	{ "optimizer_*.bin", NH_CKPT_ACCELERATE, NH_CKPT_OPTIMIZER, false, false },
	{ "optimizer_[0-9]*", 0, NH_CKPT_OPTIMIZER, false, true },
	{ "pytorch_model_fsdp*", 0, NH_CKPT_MODEL, false, true },
	{ "pytorch_model*.bin", 0, NH_CKPT_MODEL, false, false },
	{ "model*.safetensors", 0, NH_CKPT_MODEL, false, false },
	{ "model*.pt", 0, NH_CKPT_MODEL, true, false },
	{ "model*.pth", 0, NH_CKPT_MODEL, true, false },
	{ "global_step[0-9]*", 0, -1, false, true },
	{ "adapter_model.*", 0, NH_CKPT_MODEL, false, false },
};

const struct nh_ckpt_name *nh_ckpt_name(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!fnmatch(names[i].pattern, name, 0))
			return &names[i];
	return NULL;
}

int nh_ckpt_layout_of_key(const char *key, size_t n)
{
	static const struct {
		const char *key;
		int layout;
	} marks[] = {
		{ "pytorch-lightning_version", NH_CKPT_LIGHTNING },
		{ "ds_version", NH_CKPT_DEEPSPEED },
		{ "opt_param_scheduler", NH_CKPT_MEGATRON },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strlen(marks[i].key) == n && !memcmp(marks[i].key, key, n))
			return marks[i].layout;
	return 0;
}

#define BIT(s) (1u << NH_CKPT_##s)

bool nh_ckpt_untold(int layout, enum nh_ckpt_state state)
{
	/* Lightning's `loops` are counters only; the Trainer skips batches by its step; Megatron
	 * derives the position from the consumed samples in its arguments. */
	static const unsigned untold[NH_CKPT_LAYOUTS] = {
		[NH_CKPT_HF] = BIT(DATA) | BIT(CUDA_RNG),
		[NH_CKPT_ACCELERATE] = BIT(PROGRESS) | BIT(DATA) | BIT(SCHEDULER) | BIT(CUDA_RNG),
		[NH_CKPT_LIGHTNING] = BIT(DATA) | BIT(RNG) | BIT(CUDA_RNG),
		[NH_CKPT_DEEPSPEED] =
			BIT(DATA) | BIT(RNG) | BIT(CUDA_RNG) | BIT(SCHEDULER) | BIT(PROGRESS),
		[NH_CKPT_MEGATRON] =
			BIT(DATA) | BIT(RNG) | BIT(CUDA_RNG) | BIT(SCHEDULER) | BIT(PROGRESS),
	};

	return layout > 0 && layout < NH_CKPT_LAYOUTS && untold[layout] >> state & 1;
}

const char *nh_ckpt_state_words(enum nh_ckpt_state state)
{
	static const char *const words[NH_CKPT_STATES] = { "the model", "the optimizer",
		"the learning-rate schedule", "the position in the data", "the RNG state",
		"CUDA's RNG state", "the step" };

	return words[state];
}

const char *nh_ckpt_layout_words(int layout)
{
	static const char *const words[NH_CKPT_LAYOUTS] = {
		[NH_CKPT_TORCH_ZIP] = "torch.save",
		[NH_CKPT_TORCH_LEGACY] = "torch.save, before 1.6",
		[NH_CKPT_DCP] = "torch.distributed.checkpoint",
		[NH_CKPT_HF] = "Hugging Face Trainer",
		[NH_CKPT_ACCELERATE] = "Accelerate",
		[NH_CKPT_LIGHTNING] = "Lightning",
		[NH_CKPT_DEEPSPEED] = "DeepSpeed",
		[NH_CKPT_MEGATRON] = "Megatron",
	};

	return layout > 0 && layout < NH_CKPT_LAYOUTS ? words[layout] : "unknown";
}

const struct nh_ckpt_marker nh_ckpt_markers[] = {
	{ "latest", false, NH_CKPT_DEEPSPEED },
	{ "latest_checkpointed_iteration.txt", true, NH_CKPT_MEGATRON },
	{ NULL, false, 0 },
};

bool nh_ckpt_is_marker(const char *name)
{
	for (const struct nh_ckpt_marker *m = nh_ckpt_markers; m->file; m++)
		if (!strcmp(m->file, name))
			return true;
	return false;
}
