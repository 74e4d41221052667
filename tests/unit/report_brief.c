#include "tap.h"
#include "verdict.h"

#include <stdlib.h>
#include "report/report.h"

static char *brief(const struct nh_case *c, bool verbose)
{
	struct nh_report_opts opts = { .width = 80, .verbose = verbose };
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);

	nh_report_brief(f, c, &opts);
	fclose(f);
	return buf;
}

static void check(const struct nh_case *c, bool verbose, const char *want)
{
	char *s = brief(c, verbose);

	is(s, want);
	free(s);
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case *hang = sample_case(&a, true), *quiet = sample_case(&a, false);

	check(quiet, false, "no-hang - - victims=0 culprit=-\n");
	check(quiet, true, "no-hang - - victims=0 culprit=-\n");
	check(hang, false,
		"hang nccl-teardown-held-socket likely victims=12 "
		"culprit=data\\x20loader\\x1b[2J\n");
	check(hang, true,
		"hang nccl-teardown-held-socket likely victims=12 "
		"culprit=data\\x20loader\\x1b[2J host=gpu03 pid=4720 fd=7 "
		"victim-pids=4711,4712,4713,4714,4715,4716,4717,4718,4719,4720,4721 "
		"victim-ranks=0,1,2,3,4,5,6,7,8,9,10\n");
	hang->verdict.findings.v[0].culprit = NULL;
	hang->verdict.findings.v[0].victims_total = 500;
	check(hang, false, "hang nccl-teardown-held-socket likely victims=500 culprit=-\n");
	quiet->verdict.status = NH_INCONCLUSIVE;
	check(quiet, false, "inconclusive - - victims=0 culprit=-\n");
	nh_arena_free(&a);
	return done();
}
