/* What NCCL's RAS service answered, line by line; asked only on request. */
#ifndef NH_MODEL_RAS_H
#define NH_MODEL_RAS_H

#include "model/field.h"

struct nh_ras {
	const char *address; /* whom we asked: "[::1]:28028" */
	int64_t line;	     /* from 0 */
	const char *text;    /* VERBOSE STATUS of NCCL 2.24 and newer */
	const char *node;    /* the host that the text names, so that it can be redacted */
};

extern const struct nh_type nh_ras_type;

#endif
