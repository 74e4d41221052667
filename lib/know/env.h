/* Variables of a process's environment, of those that a case has (know/secret.c). */
#ifndef NH_KNOW_ENV_H
#define NH_KNOW_ENV_H

#include "model/process.h"

/* The variable's value, in the case's arena; NULL where it has none. */
const char *nh_env_get(const struct nh_process *p, const char *name);
/* The same, of one that is a number: see nh_env_int. */
int64_t nh_env_number(const struct nh_process *p, const char *name);
/* What a value of nothing but digits says, up to INT32_MAX; else, and for NULL, NH_UNKNOWN. */
int64_t nh_env_int(const char *value);

#endif
