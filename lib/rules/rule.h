/*
 * A rule is one row: the pattern that must be seen, what would refute it, how it is told.  The same
 * row gives the finding its words and, where it does not convict, the reason in `ruled_out`.
 */
#ifndef NH_RULES_RULE_H
#define NH_RULES_RULE_H

#include "graph/path.h"

/* A pattern that was found: all complete paths to one thread's wait, the telling one first. */
struct nh_match {
	const struct nh_graph *g;
	struct nh_path path;	     /* the longest; among those the one to the lowest pid */
	NH_VEC(struct nh_path) also; /* the others that end in another place */
	bool repeated;		     /* the same, fact by fact, a second or more earlier */
};

struct nh_rule {
	const char *id;
	struct nh_pattern pattern;
	/* Paths that agree in the last target of this kind of edge, or in their start where they
	 * have no such edge, are told as one finding. */
	enum nh_edge_kind fold;
	int ceiling; /* enum nh_confidence: the most it may claim */
	/* Title, culprit, gates, evidence, what is unknown, remedies; the chain, victims, refutes
	 * and confidence are filled in by the engine; tell may lower the confidence. */
	void (*tell)(struct nh_arena *a, const struct nh_match *m, struct nh_finding *f);
	const char *const *refutes; /* NULL-terminated */
	/* Steps from which on an incomplete match leaves the case open: somebody does wait, and why
	 * is not known.  0 = never. */
	size_t open_from;
	const char *covers; /* public reports of this shape; NULL = none known */
};

extern const struct nh_rule nh_rule_held_pipe, nh_rule_held_pipe_tracker, nh_rule_dead_peer,
	nh_rule_dead_peer_fifo;
extern const struct nh_rule nh_rule_held_socket, nh_rule_held_socket_hidden, nh_rule_peer_rank,
	nh_rule_stray_client, nh_rule_stray_peer, nh_rule_teardown_cuda, nh_rule_teardown_graph,
	nh_rule_teardown_progress, nh_rule_init_wait, nh_rule_fork_lock, nh_rule_fork_alone,
	nh_rule_lock_file, nh_rule_lock_cycle, nh_rule_stopped;
extern const struct nh_rule nh_rule_gil_cycle, nh_rule_gil_wait, nh_rule_exit;
extern const struct nh_rule nh_rule_cuda_owner, nh_rule_cuda_lock, nh_rule_cuda_keeper,
	nh_rule_cuda_blocking;
/* About what the kernel holds up. */
extern const struct nh_rule nh_rule_filesystem, nh_rule_driver, nh_rule_leader;

/* Helpers for tell(). */
void nh_tell_evidence(struct nh_arena *a, struct nh_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void nh_tell_unknown(struct nh_arena *a, struct nh_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void nh_tell_remedy(
	struct nh_arena *a, struct nh_finding *f, const char *what, const char *command);
void nh_tell_gate(struct nh_arena *a, struct nh_finding *f, const char *gate, const char *state,
	const char *fact);
void nh_tell_culprit(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_process *p, const struct nh_fd *fd);
/* One more link of the chain: an edge, in words. */
void nh_tell_link(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_edge *e);
void nh_tell_victim(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t);
/* The thread's stack as evidence, and whether its wait has a timeout. */
void nh_tell_wait(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t);
/* At most likely, unless the thread is in the same wait as in the first sample, and did not leave
 * it in between. */
void nh_tell_moved(struct nh_arena *a, struct nh_finding *f, const struct nh_graph *g,
	const struct nh_thread *t);
/* A shell command that ends a process only if PID and start time are still the same. */
const char *nh_kill_command(struct nh_arena *a, const struct nh_process *p);
/* How to end and to prevent a wait for a lock that a fork left locked in process p. */
void nh_tell_fork_remedies(struct nh_arena *a, struct nh_finding *f, const struct nh_process *p);
/* RANK of a process's environment; NH_UNKNOWN where that is no number. */
int64_t nh_rank_of(const struct nh_process *p);

#endif
