/* Secrets: which environment variables are read at all, which words of a command line are masked.
 */
#ifndef NH_KNOW_SECRET_H
#define NH_KNOW_SECRET_H

#include <stdbool.h>
#include "base/arena.h"

/* Whether a variable's value may be recorded. */
bool nh_env_allowed(const char *name);
/*
 * One argument (or NAME=value) with token-like values replaced by "***": values of options and
 * variables whose name says password, token, secret or key, well-known token shapes, credentials in
 * URLs.  previous is the argument before it ("--password" masks the next one), or NULL.
 */
const char *nh_mask_argument(struct nh_arena *a, const char *arg, const char *previous);

#endif
