/* Shared by the files of this folder only. */
#ifndef NH_PREFLIGHT_INTERNAL_H
#define NH_PREFLIGHT_INTERNAL_H

#include "preflight/preflight.h"

/* What is checked. */
struct nh_flying {
	struct nh_preflight *p;
	struct nh_arena *a;
	int dir;	  /* /proc/PID or /proc/self, open */
	int64_t uid, gid; /* whom files must be writable for */
	const char *env;  /* as /proc/PID/environ has it */
	size_t env_len;
	char *const *command;
	int64_t torch;	  /* version of PyTorch; NH_UNKNOWN */
	const char *site; /* folder of Python's packages, as the process sees it; NULL */
	const char *nccl; /* path of libnccl, as the process sees it; NULL */
	bool mapped;	  /* NCCL is what the process maps, not what it would load */
};

/* A new check, what being its topic. */
struct nh_check *nh_check_add(struct nh_flying *f, enum nh_check_state state, const char *what,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The value of a variable of the environment, NULL. */
const char *nh_flying_env(const struct nh_flying *f, const char *name);
/* A path as we reach it: through the root of the process. */
const char *nh_flying_path(const struct nh_flying *f, const char *path);

/* vars.c: the variables of PyTorch and NCCL. */
void nh_check_vars(struct nh_flying *f);
/* room.c: the dumps' folder, disk and memory. */
void nh_check_dump_path(struct nh_flying *f);
void nh_check_room(struct nh_flying *f);
/* host.c: core dumps, and what this tool may see. */
void nh_check_core(struct nh_flying *f);
void nh_check_rights(struct nh_flying *f);
/* library.c: finds PyTorch and NCCL; then says what is known of that NCCL, and of the start method
 * of helper processes. */
void nh_find_libraries(struct nh_flying *f);
void nh_check_nccl(struct nh_flying *f);
void nh_check_start_method(struct nh_flying *f);

#endif
