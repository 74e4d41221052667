/* Logs → rows → rules.  The input is cut in three at the byte 0xfe: a file of a torchrun tree, one
 * of mixed ranks, one named after its rank. */
#include "replay.h"
#include "records/log.h"
#include "evidence/log.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "l/attempt_0/1/stderr.log", "all.log", "rank_2.log" };
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	struct nh_log *l = nh_log_new(&c);

	nh_log_is((const char *)data, size);
	for (size_t i = 0; l && i < 3; i++) {
		const uint8_t *cut = i < 2 && size ? memchr(data, 0xfe, size) : NULL;
		size_t n = cut ? (size_t)(cut - data) : size, half = n / 2;

		nh_log_begin(l, names[i]);
		nh_log_feed(l, (const char *)data, half);
		nh_log_feed(l, (const char *)data + half, n - half);
		nh_log_end(l);
		data += cut ? n + 1 : n;
		size -= cut ? n + 1 : n;
	}
	nh_log_free(l);
	nh_log_analyse(&c);
	nh_arena_free(&a);
	return 0;
}
