/* Dumps → rows → rules.  The input is cut in three at the byte 0xfe: one dump a rank. */
#include "replay.h"
#include "records/flight.h"
#include "evidence/flight.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "rank_0", "rank_1", "rank_2" };
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	struct nh_flight *f = nh_flight_new(&c);
	struct nh_err err;

	nh_flight_is((const char *)data, size);
	for (size_t i = 0; i < 3; i++) {
		const uint8_t *cut = i < 2 && size ? memchr(data, 0xfe, size) : NULL;
		size_t n = cut ? (size_t)(cut - data) : size;

		nh_flight_read(f, names[i], (const char *)data, n, &err);
		data += cut ? n + 1 : n;
		size -= cut ? n + 1 : n;
	}
	nh_flight_free(f);
	nh_flight_analyse(&c);
	nh_arena_free(&a);
	return 0;
}
