/* What went wrong, in words for a person: what, where, why, how to mend it. */
#ifndef NH_BASE_ERR_H
#define NH_BASE_ERR_H

struct nh_err {
	char msg[600];
};

/* Formats into err (which may be NULL) and returns code, so that `return nh_fail(err, -EINVAL, …)`
 * is one line.  code is a negative errno. */
int nh_fail(struct nh_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
