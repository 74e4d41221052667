/* ncclhang preflight [PID | -- COMMAND...] */
#ifndef NH_CMD_PREFLIGHT_H
#define NH_CMD_PREFLIGHT_H

#include "opts.h"

/* Returns the exit status: 1 = something is off. */
int nh_cmd_preflight(const struct nh_opts *o);

#endif
