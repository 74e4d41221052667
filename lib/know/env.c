#include "know/env.h"

#include <stdlib.h>
#include <string.h>

const char *nh_env_get(const struct nh_process *p, const char *name)
{
	size_t n = strlen(name);

	nh_for(e, &p->env)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

int64_t nh_env_int(const char *value)
{
	char *end;
	int64_t n;

	if (!value || *value < '0' || *value > '9')
		return NH_UNKNOWN;
	n = strtoll(value, &end, 10);
	return *end || n > INT32_MAX ? NH_UNKNOWN : n;
}

int64_t nh_env_number(const struct nh_process *p, const char *name)
{
	return nh_env_int(nh_env_get(p, name));
}
