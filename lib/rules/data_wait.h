/*
 * Threads that wait without a bound for data or its end, and whether anybody is left who could send
 * either.
 */
#ifndef NH_RULES_DATA_WAIT_H
#define NH_RULES_DATA_WAIT_H

#include "rules/rule.h"

/* Who can still end such a wait. */
enum nh_writers {
	NH_WRITERS_OTHERS,  /* somebody else, or it is not known who */
	NH_WRITERS_SELF,    /* the waiting process alone: it has every write end */
	NH_WRITERS_ORPHANS, /* processes whose creator is gone, and maybe itself */
};
/* Of all descriptors the thread waits on; OTHERS where it does not wait so. */
enum nh_writers nh_data_writers(const struct nh_graph *g, const struct nh_thread *t);

/* The holder of a write end: an edge HELD_BY out of a pipe, or out of a socket's other end. */
bool nh_is_write_end(const struct nh_edge *held);
/* The same of a path's last edge, that came to a socket's other end over PEER. */
bool nh_leads_to_write_end(const struct nh_path *p);

/*
 * Whether the process itself may still write: by another thread that may go on without that, or by
 * a signal's handler.  Signals that are usual (SIGCHLD, SIGTERM …) count only if `strict`.
 */
bool nh_may_write_itself(const struct nh_graph *g, const struct nh_thread *t, bool strict);

/* A child of the process that has ended: a zombie, or one that only the first sample saw.
 * The one with the most telling end; NULL. */
const struct nh_process *nh_dead_child(const struct nh_graph *g, int64_t pid);

/* Whether the first search for holders saw every process of the host. */
bool nh_searched_all(const struct nh_graph *g);

/* Whoever waits for the thread's process or for the thread to end: victims too. */
void nh_tell_waiters(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t);

#endif
