/* Tables, one row a line. */
/* clang-format off */
#include "model/kernel.h"
#include "model/types.h"

static const char *const hierarchy_names[] = { "", "v2", "freezer", "memory", NULL };
static const char *const kernel_names[] = { "", "out-of-memory", "hung-task", "xid", "no-answer",
	"answers", NULL };

#define S nh_cgroup
TYPE(nh_cgroup_type, "cgroup",
	F(INT, sample),
	E(hierarchy, hierarchy_names),
	P(STR, path, PATH),
	F(BOOL, frozen),
	F(BOOL, freezes),
	F(INT, oom_kills),
	F(BOOL, under_oom),
	F(INT, limit),
	F(INT, usage));
#undef S

#define S nh_kernel_event
TYPE(nh_kernel_event_type, "kernel_event",
	E(kind, kernel_names),
	F(INT, at_us),
	F(INT, pid),
	F(INT, number),
	F(STR, comm),
	P(STR, cgroup, PATH),
	P(STR, device, SECRET),
	P(STR, text, PROSE));
#undef S
