#include "know/lock_file.h"

#include "know/thread_roles.h"

/* torch/utils/cpp_extension.py: _get_build_directory.  With TORCH_EXTENSIONS_DIR builds are right
 * in it, else in a directory for each version of Python and CUDA. */
static const struct nh_lock_place torch_places[] = {
	{ "TORCH_EXTENSIONS_DIR", "", 1 },
	{ "XDG_CACHE_HOME", "/torch_extensions", 2 },
	{ "HOME", "/.cache/torch_extensions", 2 },
	{ 0 },
};

/* Programs that build their kernels next to their source (Megatron's fused_kernels) tell torch so.
 */
static const struct nh_lock_user users[] = {
	{ "wait@file_baton.py", "torch's FileBaton", "lock", torch_places, "build" },
};

const struct nh_lock_user *nh_lock_user_of(const struct nh_stack *s)
{
	for (size_t i = 0; s && i < sizeof(users) / sizeof(*users); i++)
		nh_for(f, &s->frames)
			if (f->python && nh_frame_is_one_of(f, users[i].frames))
				return &users[i];
	return NULL;
}
