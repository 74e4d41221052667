/* The process that reads: everything that can block happens in it. */
#ifndef NH_COLLECT_WORKER_H
#define NH_COLLECT_WORKER_H

#include "collect/collect.h"
#include "collect/mark.h"

/* Collects, writing case lines to fd as they become known; returns an exit status. */
int nh_worker_run(const struct nh_collect_opts *o, struct nh_mark *mark, int fd);

#endif
