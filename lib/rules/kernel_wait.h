/* Threads that wait in the kernel for what is no process: shared by the rules about those. */
#ifndef NH_RULES_KERNEL_WAIT_H
#define NH_RULES_KERNEL_WAIT_H

#include "rules/rule.h"

/* How long a thread has been seen in one place. */
enum nh_stay {
	NH_MOVES,    /* it went on between the samples */
	NH_NOT_SEEN, /* there is one sample */
	NH_BARELY,   /* in the same call, and woken once or twice in it */
	NH_STAYS,    /* in the same call, and not switched in between */
};

enum nh_stay nh_stay_of(const struct nh_graph *g, const struct nh_thread *t);
/* What that allows to be said. */
int nh_stay_confidence(enum nh_stay stay);

/* The file system that the thread's call works on, by path or by descriptor; NULL = unknown. */
struct nh_place {
	const char *fstype, *mount, *source;
};
struct nh_place nh_place_of(const struct nh_graph *g, const struct nh_thread *t);

/* State D, of a process that is read for its own sake. */
bool nh_is_uninterruptible(const struct nh_graph *g, const struct nh_thread *t);

/* The frozen control group that a process is in, or NULL. */
const struct nh_cgroup *nh_frozen_group(const struct nh_graph *g, const struct nh_process *p);
/* The same, or the freezer's function where the groups could not be read. */
bool nh_is_frozen(const struct nh_graph *g, const struct nh_process *p);

/* What the thread's call works on, "/data/x", "fd 5 (/data/x)", and what the kernel does, in one
 * sentence. */
const char *nh_kernel_words(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_thread *t);

/* Threads that wait for process p alone, by its PID or by the other end of their connection or
 * pipe: each is a victim and its way there a part of the chain. */
void nh_tell_dependants(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_process *p);

#endif
