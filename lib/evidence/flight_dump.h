/* One dump being read: its entries and groups before they become rows.  Private to flight*.c. */
#ifndef NH_EVIDENCE_FLIGHT_DUMP_H
#define NH_EVIDENCE_FLIGHT_DUMP_H

#include "evidence/flight.h"
#include "evidence/tree.h"
#include "model/case.h"

/* The words of the format; names as in the dump. */
enum nh_fr_word {
	NH_FR_OTHER,
	/* top level */
	NH_FR_ENTRIES,
	NH_FR_VERSION,
	NH_FR_PG_CONFIG,
	NH_FR_PG_STATUS,
	/* pg_config, pg_status */
	NH_FR_NAME,
	NH_FR_DESC,
	NH_FR_RANKS,
	NH_FR_LAST_ENQUEUED,
	NH_FR_LAST_STARTED,
	NH_FR_LAST_COMPLETED,
	/* entry */
	NH_FR_FRAMES,
	NH_FR_RECORD_ID,
	NH_FR_PG_ID,
	NH_FR_PROCESS_GROUP,
	NH_FR_SEQ,
	NH_FR_P2P_SEQ,
	NH_FR_OP_ID,
	NH_FR_PROFILING_NAME,
	NH_FR_CREATED,
	NH_FR_DURATION,
	NH_FR_IN_SIZES,
	NH_FR_IN_DTYPES,
	NH_FR_OUT_SIZES,
	NH_FR_OUT_DTYPES,
	NH_FR_STATE,
	NH_FR_NOTICED_STARTED,
	NH_FR_NOTICED_COMPLETED,
	NH_FR_RETIRED,
	NH_FR_TIMEOUT,
	NH_FR_IS_P2P,
	/* states */
	NH_FR_SCHEDULED,
	NH_FR_STARTED,
	NH_FR_COMPLETED,
	/* frame */
	NH_FR_FILENAME,
	NH_FR_LINE,
	/* not one word but a kind */
	NH_FR_TORCH,	 /* a file of PyTorch itself */
	NH_FR_SYMMETRIC, /* a collective in which every rank waits for every other */
};

/* What an entry lacks: a value of kind NONE, an integer NH_UNKNOWN. */
struct nh_fr_entry {
	struct nh_value group, name, frames; /* group: the pair (name, desc) */
	struct nh_value in_sizes, in_dtypes, out_sizes, out_dtypes;
	int64_t record, pg_id, seq, p2p_seq, op_id;
	int64_t created, started, completed; /* ns */
	int64_t duration_us, timeout_ms;
	uint32_t nth; /* its group, an index into the dump's */
	uint32_t batch,
		place; /* of coalesced ones: which, from 1 (0 = alone), and its place in it */
	int state;     /* enum nh_work_state, 0 = unknown */
	bool retired, p2p, done, keep;
	bool coalesced; /* it ends a batch of others */
};

struct nh_fr_group {
	struct nh_rank_group row; /* its strings and lists live in the case's arena */
	size_t open[2], done[2];  /* kept so far: collectives, P2P */
	uint32_t batch[2];	  /* the one that was last decided on */
	bool keep[2];		  /* what was decided */
};

/* Groups one rank may be in; a dump with more is refused. */
#define NH_FR_GROUPS_MAX 1024

struct nh_flight {
	struct nh_case *c;
	struct nh_arena *a; /* the case's */
	struct nh_tree tree;
	int64_t rank;
	const char *source, *version;
	struct nh_fr_entry *entries;
	size_t nentries, entries_cap;
	NH_VEC(struct nh_fr_group) groups;
};

uint8_t nh_fr_word(const char *s, size_t n);
/* The tree's taker (ctx: struct nh_flight): adds an entry if the items are one's. */
bool nh_fr_take(void *ctx, const struct nh_value *items, size_t n);
/* The operation without its back end: "all_reduce" of "nccl:all_reduce"; *n bytes. */
const char *nh_fr_op(const struct nh_fr_entry *e, size_t *n);
/* The innermost frame outside PyTorch (else the innermost of all): file (NULL = no frames), name
 * and line. */
const struct nh_value *nh_fr_frame(const struct nh_tree *t, const struct nh_fr_entry *e,
	const struct nh_value **name, int64_t *line);
/* A number of the dump; none counts so far, and differences must not overflow. */
#define NH_FR_INT_MAX (1LL << 60)
int64_t nh_fr_int(const struct nh_value *v);
const char *nh_fr_text(struct nh_arena *a, const struct nh_value *v);

/* Fills d->groups from the entries, pg_config and pg_status (either may be NULL).  0 or -E2BIG. */
int nh_fr_groups(struct nh_flight *d, const struct nh_value *config, const struct nh_value *status);
/* Marks what is kept of the entries; adds the rows of entries and steps to the case. */
void nh_fr_choose(struct nh_flight *d);
void nh_fr_keep(struct nh_flight *d);
void nh_fr_steps(struct nh_flight *d);

#endif
