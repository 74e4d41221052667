/*
 * Will the next failure leave evidence?  Checks a process's environment, or the one a command would
 * be started in.  Runs nothing and changes nothing.
 */
#ifndef NH_PREFLIGHT_PREFLIGHT_H
#define NH_PREFLIGHT_PREFLIGHT_H

#include "base/err.h"
#include "model/case.h"
#include "report/doc.h"

struct nh_preflight {
	struct nh_arena *a;
	int64_t pid;	     /* NH_UNKNOWN = an environment without a process */
	const char *subject; /* "pid 4711", "this environment, for: python train.py" */
	NH_VEC(struct nh_check) checks;
};

/*
 * Checks a process; with pid NH_UNKNOWN our own environment, for that command (NULL-terminated, may
 * be empty).  0, or a negative errno with err: -ESRCH if there is no such process, -EACCES if its
 * environment may not be read.  Everything is in the arena.
 */
int nh_preflight(struct nh_arena *a, int64_t pid, char *const *command, struct nh_preflight *ret,
	struct nh_err *err);

/* Whether any check is NH_CHECK_OFF. */
bool nh_preflight_off(const struct nh_preflight *p);
/* The checks as a case: rows and verdict. */
void nh_preflight_case(const struct nh_preflight *p, struct nh_case *ret);
/* The checks as a document. */
void nh_preflight_words(const struct nh_preflight *p, struct nh_doc *d);

#endif
