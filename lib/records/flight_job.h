/* The job the dumps tell of: ranks, groups, and what blocks what.  Private to flight*.c. */
#ifndef NH_RECORDS_FLIGHT_JOB_H
#define NH_RECORDS_FLIGHT_JOB_H

#include "model/case.h"

struct nh_ranks {
	int64_t *v;
	size_t n, cap;
};

/* Where a member of a group stands towards the group's frontier. */
enum nh_stand {
	NH_STAND_QUIET,	  /* waits for nothing here, and nothing is known to be missing */
	NH_STAND_AT,	  /* has the operation, not completed */
	NH_STAND_PAST,	  /* has completed it, or its ring has lost it */
	NH_STAND_BEHIND,  /* never scheduled it */
	NH_STAND_ABSENT,  /* left no dump */
	NH_STAND_DAMAGED, /* its dump cannot be read */
	NH_STAND_STALE,	  /* its dump is of another time */
	NH_STAND_OFF,	  /* its dump says nothing of this group: recorder off */
	NH_STANDS,
};

struct nh_member {
	int64_t rank;
	enum nh_stand stand;
	const struct nh_rank_group *row;	  /* NULL = no usable dump says anything */
	const struct nh_collective *const *entry; /* its kept operations here, by record */
	size_t n;
	int64_t enqueued;		/* last it scheduled; NH_UNKNOWN */
	int64_t wait;			/* first it has not completed; NH_UNKNOWN = none */
	const struct nh_collective *at; /* its operation at the frontier */
	const struct nh_collective *const *batch; /* that one and what is coalesced with it */
	size_t nbatch;
	const char *why; /* STALE, DAMAGED: in words */
};

struct nh_team {
	const char *name, *desc;
	bool guessed;			  /* no dump says who the members are */
	NH_VEC(struct nh_member) members; /* by rank */
	int64_t *order; /* global ranks in group order, norder of them: P2P peers count in it */
	size_t norder;
	int64_t frontier; /* the operation the first of them waits in; NH_UNKNOWN = none waits */
};

/* How operations of one sequence number differ. */
enum nh_differ {
	NH_SAME,
	NH_DIFFER_OP,
	NH_DIFFER_SIZE,
	NH_DIFFER_DTYPE,
	NH_DIFFER_TOTAL, /* all_to_all: what is sent in all is not what is expected in all */
};

/* Some ranks wait in one operation, and what is known of why. */
struct nh_block {
	const struct nh_team *team;
	const struct nh_collective
		*op; /* as a waiting rank has it; NULL = only its number is known */
	int64_t seq;
	bool p2p;
	struct nh_ranks waiters;
	struct nh_ranks by[NH_STANDS]; /* members by stand: BEHIND, ABSENT, DAMAGED, STALE, OFF */
	struct nh_ranks unstarted;     /* scheduled but not started, where others have started */
	struct nh_ranks lost;	       /* scheduled, but the ring no longer says what */
	enum nh_differ differ;
	struct nh_ranks odd;	    /* the minority where operations differ; empty = a tie */
	NH_VEC(const char *) sides; /* "ranks 0, 1: all_reduce …", where they differ */
	struct nh_ranks roots;	    /* those of BEHIND that wait for nobody themselves */
	struct nh_block *next;	    /* what one of BEHIND waits in itself; NULL = none does */
	int64_t via;		    /* that one */
	bool told;		    /* a finding explains it */
	bool retired;		    /* a watchdog gave up on it */
};

struct nh_job {
	struct nh_arena *a;
	struct nh_case *c;
	NH_VEC(const struct nh_rank_group *) rows; /* of the dumps in use, by rank */
	NH_VEC(const struct nh_collective *) ops;  /* likewise, by rank, group, record */
	NH_VEC(struct nh_team) teams;
	NH_VEC(struct nh_block) blocks;
};

void nh_job_build(struct nh_case *c, struct nh_job *ret);
/* Fills the members' enqueued, wait, stand and each team's frontier. */
void nh_job_stand(struct nh_job *job);
/* Fills blocks from collectives, and from P2P operations. */
void nh_job_block(struct nh_job *job);
void nh_job_block_p2p(struct nh_job *job);
/* Compares what the members have at the frontier. */
void nh_job_compare(struct nh_job *job, struct nh_block *b);
/* Fills roots, next and via. */
void nh_job_follow(struct nh_job *job);
/* Adds findings for everything that is blocked, and for a straggler. */
void nh_job_convict(struct nh_job *job);
void nh_job_stragglers(struct nh_job *job);

/* Takes back, of the findings from `before` on, what dumps of a running job do not carry. */
void nh_flight_live(struct nh_case *c, size_t before);

struct nh_member *nh_team_member(const struct nh_team *t, int64_t rank);
/* The dump of a rank in any group; NULL = there is none. */
const struct nh_rank_group *nh_job_dump(const struct nh_job *job, int64_t rank);
/* True if something is known of why the block does not move. */
bool nh_block_caused(const struct nh_block *b);
/* The last operation a rank recorded in any group; NULL = none is known. */
const struct nh_collective *nh_job_last(const struct nh_job *job, int64_t rank);
bool nh_ranks_has(const struct nh_ranks *r, int64_t rank);
/* Sorted, each once. */
void nh_ranks_add(struct nh_arena *a, struct nh_ranks *r, int64_t rank);
/* "rank 3", "ranks 0-2, 5", long ones cut. */
const char *nh_ranks_words(struct nh_arena *a, const struct nh_ranks *r);
/* "all_reduce of [4096] Float, sequence 81 in group 0 (default_pg)" */
const char *nh_block_words(struct nh_arena *a, const struct nh_block *b);
const char *nh_team_words(struct nh_arena *a, const struct nh_team *t);
/* "all_reduce of [4096] Float" */
const char *nh_op_words(struct nh_arena *a, const struct nh_collective *e);

#endif
