/* Tables, one row a line. */
/* clang-format off */
#include "model/evidence.h"
#include "model/types.h"

static const char *const work_state_names[] = { "", "scheduled", "started", "completed", NULL };

#define S nh_rank_group
TYPE(nh_rank_group_type, "rank_group",
	F(INT, rank),
	F(STR, group),
	F(STR, desc),
	F(INT, pg_id),
	F(INTS, members),
	F(BOOL, members_guessed),
	F(INT, enqueued),
	F(INT, started),
	F(INT, completed),
	F(INT, entries),
	F(INT, first),
	F(INT, last),
	F(INT, newest_ns),
	F(INT, timeout_ms),
	F(BOOL, timing),
	F(BOOL, off),
	F(BOOL, p2p_cut),
	F(STR, version),
	P(STR, damaged, PROSE),
	P(STR, source, PATH));
#undef S

#define S nh_collective
TYPE(nh_collective_type, "collective",
	F(INT, rank),
	F(STR, group),
	F(INT, record),
	F(INT, seq),
	F(INT, p2p_seq),
	F(INT, op_id),
	F(STR, op),
	E(state, work_state_names),
	F(BOOL, retired),
	F(BOOL, done),
	F(BOOL, p2p),
	F(INT, created_ns),
	F(INT, started_ns),
	F(INT, completed_ns),
	F(INT, duration_us),
	F(INT, in_numel),
	F(INT, out_numel),
	F(STR, in_sizes),
	F(STR, out_sizes),
	F(STR, in_dtypes),
	F(STR, out_dtypes),
	P(STR, frame, PATH),
	P(STR, source, PATH));
#undef S

#define S nh_step_wait
TYPE(nh_step_wait_type, "step_wait",
	F(INT, rank),
	F(STR, group),
	F(INT, seq),
	F(INT, created_ns),
	F(INT, wait_us),
	F(INT, ops),
	P(STR, source, PATH));
#undef S
