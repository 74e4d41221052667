/* Tables, one row a line. */
/* clang-format off */
#include "model/log.h"
#include "model/types.h"

static const char *const kind_names[] = { "", "out-of-memory", "cuda-error", "worker-died",
	"exception", "signal", "exit", "peer-gone", "timeout", "store-timeout", "watchdog", "closing",
	"lagging", "nccl", "unreduced", "note", NULL };
static const char *const clock_names[] = { "", "epoch", "date", "day", NULL };

#define S nh_log_event
TYPE(nh_log_event_type, "log_event",
	F(INT, rank),
	F(INT, group_rank),
	F(INT, local_rank),
	F(INT, line),
	F(INT, at_ms),
	E(clock, clock_names),
	E(kind, kind_names),
	F(INT, requested),
	F(INT, free),
	F(INT, allocated),
	F(INT, reserved),
	F(INT, capacity),
	F(INT, gpu),
	F(INT, signal),
	F(INT, exit_code),
	F(INT, pid),
	F(INT, seq),
	F(INT, enqueued),
	F(INT, completed),
	F(INT, timeout_ms),
	F(INTS, named),
	F(BOOL, root),
	F(BOOL, survived),
	F(STR, op),
	P(STR, host, SECRET),
	P(STR, text, PROSE),
	P(STR, source, PATH));
#undef S

#define S nh_rank_metric
TYPE(nh_rank_metric_type, "rank_metric",
	F(INT, rank),
	F(INT, step),
	F(INT, compute_us),
	F(INT, wait_us),
	F(INT, peak_bytes),
	F(INT, total_bytes),
	F(INT, checkpoint_step),
	P(STR, host, SECRET),
	P(STR, source, PATH));
#undef S

#define S nh_save_cost
TYPE(nh_save_cost_type, "save_cost",
	F(INT, rank),
	F(INT, step_us),
	F(INT, every),
	F(INT, interval_us),
	F(INT, block_us),
	F(INT, write_us),
	F(INT, mtbf_us),
	P(STR, source, PATH));
#undef S

#define S nh_log_file
TYPE(nh_log_file_type, "log_file",
	F(INT, rank),
	F(INTS, ranks),
	F(INT, lines),
	F(INT, cut),
	P(STR, source, PATH));
#undef S
