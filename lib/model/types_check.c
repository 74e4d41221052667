/* Tables, one row a line. */
/* clang-format off */
#include "model/check.h"
#include "model/types.h"

static const char *const state_names[] = { "", "off", "advice", "unknown", "fine", NULL };

#define S nh_check
TYPE(nh_check_type, "check",
	E(state, state_names),
	F(STR, what),
	P(STR, fact, PROSE),
	F(STR, why),
	F(STR, cost),
	P(STR, command, PROSE),
	P(STR, subject, PROSE));
#undef S
