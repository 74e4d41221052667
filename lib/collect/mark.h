/*
 * What the worker is reading right now, in memory shared with its parent: the parent sees that a
 * mark does not move, names it, and starts a successor that skips it.
 */
#ifndef NH_COLLECT_MARK_H
#define NH_COLLECT_MARK_H

#include <stdbool.h>
#include <stdint.h>

enum { NH_SKIPS = 64 };

struct nh_mark {
	/* Written by the worker. */
	volatile int64_t step; /* rises with every mark */
	volatile int64_t pid;
	const char *volatile what;  /* a string literal: same address in parent and child */
	volatile int64_t longer_ms; /* beyond the timeout, for what it was asked to wait for */
	/* Written by the parent before a worker starts. */
	struct {
		int64_t pid;
		const char *what;
	} skip[NH_SKIPS];
	int nskip;
};

/* A zeroed mark in shared memory, or NULL. */
struct nh_mark *nh_mark_new(void);
void nh_mark_free(struct nh_mark *m);
/* Says what is read next; false = it blocked a predecessor, so leave it. */
bool nh_mark_begin(struct nh_mark *m, int64_t pid, const char *what);
/* What goes through a process's memory map: where one such read blocks, all of them do, so that a
 * skip of one skips them all. */
bool nh_mark_is_memory(const char *what);
/* The worker sleeps on purpose. */
void nh_mark_idle(struct nh_mark *m);

#endif
