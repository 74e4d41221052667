/* Variables of a process: whole names, and numbers that are nothing else. */
#include "tap.h"

#include "know/env.h"

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_process p;

	memset(&p, 0, sizeof(p));
	nh_row_init(&nh_process_type, &p);
	*nh_push(&a, &p.env) = "RANKS=7";
	*nh_push(&a, &p.env) = "RANK=12";
	*nh_push(&a, &p.env) = "EMPTY=";
	is(nh_env_get(&p, "RANK"), "12");
	is(nh_env_get(&p, "EMPTY"), "");
	ok(!nh_env_get(&p, "RAN") && !nh_env_get(&p, "WORLD_SIZE"));
	ok(nh_env_number(&p, "RANK") == 12 && nh_env_number(&p, "RANKS") == 7);
	ok(nh_env_number(&p, "EMPTY") == NH_UNKNOWN && nh_env_number(&p, "NONE") == NH_UNKNOWN);
	ok(nh_env_int("0") == 0 && nh_env_int("2147483647") == INT32_MAX);
	ok(nh_env_int("2147483648") == NH_UNKNOWN && nh_env_int("99999999999999999999") < 0);
	ok(nh_env_int("worker-3") == NH_UNKNOWN && nh_env_int("3x") == NH_UNKNOWN);
	ok(nh_env_int("-1") == NH_UNKNOWN && nh_env_int(" 1") == NH_UNKNOWN);
	ok(nh_env_int("") == NH_UNKNOWN && nh_env_int(NULL) == NH_UNKNOWN);
	nh_arena_free(&a);
	return done();
}
