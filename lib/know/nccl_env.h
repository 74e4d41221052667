/*
 * The environment variables that decide how NCCL and PyTorch's use of it hang, abort or report.
 * Defaults are those of the newest version known; sources: NCCL_PARAM and ncclGetEnv in NCCL 2.10.3
 * to 2.30.3, ProcessGroupNCCL.hpp in PyTorch 2.0 to 2.6.
 */
#ifndef NH_KNOW_NCCL_ENV_H
#define NH_KNOW_NCCL_ENV_H

#include <stdbool.h>
#include <stdint.h>

struct nh_nccl_var {
	const char *name;
	int since;	     /* NCCL version, 0 = always or not NCCL's own */
	const char *unset;   /* the default */
	const char *meaning; /* what it does */
	/* What is lost while it is unset, for the next hang at least; NULL = nothing. */
	const char *missed;
};

/* All of them; ends with name == NULL. */
extern const struct nh_nccl_var nh_nccl_vars[];

/* The row of the variable NAME of "NAME=value" or "NAME"; NULL if it has none. */
const struct nh_nccl_var *nh_nccl_var(const char *entry);
/* Whether it is to be shown when it is set: it has a row, or its name begins with NCCL_. */
bool nh_nccl_var_shown(const char *entry);

#endif
