/* Case intake: any bytes, in pieces; what was understood is written and read again. */
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "case/codec.h"
#include "case/intake.h"
#include "case/redact.h"

static int feed_again(void *ctx, const char *buf, size_t n)
{
	if (n > NH_LINE_MAX)
		abort();
	nh_intake_feed(ctx, "again", buf, n);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct nh_arena a = { 0 };
	struct nh_intake *in = nh_intake_new(&a), *again = nh_intake_new(&a);
	size_t half = size / 2;

	nh_kind_detect(s, size);
	nh_intake_feed(in, "fuzz", s, half);
	nh_intake_feed(in, "fuzz", s + half, size - half);
	nh_intake_end_source(in, "fuzz");
	nh_intake_finish(in);
	for (size_t i = 0; i < nh_intake_count(in); i++) {
		struct nh_case *c = nh_intake_case(in, i);

		nh_intake_complete(in, i);
		nh_case_redact(c);
		nh_case_write(c, (struct nh_sink){ feed_again, again });
	}
	nh_intake_end_source(again, "again");
	if (nh_intake_error(again, 0) && !strstr(nh_intake_error(again, 0), "newer"))
		abort();
	nh_arena_free(&a);
	return 0;
}
