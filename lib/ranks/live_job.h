/*
 * The job that live ranks show: who is in which collective, who is outside, dead, not here.  Over
 * one host's case or over several; a rank is a process with RANK in its environment, and what it
 * does is told by the stacks of all its threads, which were taken once.
 */
#ifndef NH_RANKS_LIVE_JOB_H
#define NH_RANKS_LIVE_JOB_H

#include "records/flight_job.h"
#include "graph/graph.h"
#include "know/collective.h"

/* A collective as one thread's stack shows it. */
struct nh_call {
	const struct nh_thread *t;
	enum nh_coll_kind kind;
	const char *op;		     /* NULL = not told */
	bool servant;		     /* for a call that another thread of the process made */
	bool busy;		     /* waits in a way that uses the CPU: movement says nothing */
	const struct nh_frame *from; /* the program's own frame that called it; NULL */
};

enum nh_doing {
	NH_DOES_UNSEEN, /* its main thread's stack could not be taken */
	NH_DOES_OUTSIDE,
	NH_DOES_WAIT,	 /* in a collective, at a store, or for a GPU */
	NH_DOES_GONE,	 /* a zombie */
	NH_DOES_MISSING, /* should be on this host, and no process is it */
	NH_DOINGS,
};

/* Whether a thread went on between the samples. */
enum nh_move {
	NH_MOVE_STILL,
	NH_MOVE_BUSY, /* waits by polling, or in a call that spins: cannot be told */
	NH_MOVE_ONCE, /* there is one sample of it */
	NH_MOVE_ON,
};

struct nh_live_rank {
	const struct nh_graph *g;
	const struct nh_process *p; /* NULL = missing */
	int64_t rank;
	enum nh_doing doing;
	bool guessed;		   /* which rank a zombie is, by elimination */
	struct nh_call call;	   /* WAIT: the one that tells most */
	struct nh_call second;	   /* of another thread, another collective; kind NONE = none */
	const struct nh_thread *t; /* the call's, else the main thread */
	enum nh_move move;	   /* of t */
	int64_t cpu;		   /* clock ticks its threads used between the samples */
	const struct nh_process *orphan; /* GONE: a child of it that lives on */
};

struct nh_live_job {
	struct nh_arena *a;
	struct nh_verdict *verdict;
	const char *key; /* MASTER_ADDR, port, size and run id: equal = one job */
	int64_t world;	 /* number of ranks; NH_UNKNOWN */
	size_t hosts;
	NH_VEC(struct nh_live_rank) ranks; /* by rank */
	struct nh_ranks by[NH_DOINGS];
	struct nh_ranks elsewhere; /* of the job, but not in the cases */
	enum nh_move move;	   /* of those that wait: the one that says least */
};

struct nh_live_jobs {
	struct nh_live_job *v;
	size_t n, cap;
};

/* g: the graph of the last sample of each case; they outlive the jobs. */
void nh_live_build(struct nh_arena *a, struct nh_verdict *v, const struct nh_graph *g, size_t n,
	struct nh_live_jobs *ret);
/* The rules, in order: findings for what the ranks of every job wait for. */
void nh_live_convict(struct nh_live_job *job);
/* live_rank.c: fills what a process does. */
void nh_live_observe(struct nh_live_rank *r);
/* live_dead.c's share of building: who of this host's ranks is dead or missing. */
void nh_live_find_dead(struct nh_live_job *job, const struct nh_graph *g);
bool nh_live_is_loopback(const char *address);
struct nh_live_rank *nh_live_rank(const struct nh_live_job *job, int64_t rank);
/* Whether the rank is inside the making or the end of a communicator. */
bool nh_live_in_nccl_setup(const struct nh_live_rank *r);

/* Adds findings about the ranks of one host: of the graph of its last sample. */
void nh_live_analyse(struct nh_arena *a, struct nh_verdict *v, const struct nh_graph *g);
/* The same of the jobs that have ranks on several hosts; what single hosts told of those goes. */
void nh_live_merge(
	struct nh_arena *a, struct nh_verdict *v, struct nh_case *const *cases, size_t n);

#endif
