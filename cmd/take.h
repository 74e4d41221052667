/* A collection in the background: the screens are drawn and keys answer meanwhile. */
#ifndef NH_CMD_TAKE_H
#define NH_CMD_TAKE_H

#include <sys/types.h>
#include "case/intake.h"
#include "collect/collect.h"

struct nh_take {
	pid_t pid; /* 0 = none is running */
	int fd;	   /* case lines come from it; -1 at their end */
	int64_t began_ms;
	struct nh_arena *arena; /* of the case; on the heap, the caller's once it is done */
	struct nh_intake *in;
	char head[200]; /* what came first: the reason, if it failed */
	size_t nhead;
};

/* 0 or a negative errno. */
int nh_take_start(struct nh_take *t, const struct nh_collect_opts *o);
/* Reads what has come.  True once the collection has ended: *ret is its case, or NULL with the
 * reason in err and its exit status in *status. */
bool nh_take_follow(struct nh_take *t, struct nh_case **ret, int *status, struct nh_err *err);
/* Ends it, wherever it is. */
void nh_take_end(struct nh_take *t);

#endif
