#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int nh_fail(struct nh_err *err, int code, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
		va_end(ap);
	}
	return code;
}
