#include "tap.h"
#include "report/cells.h"

int main(void)
{
	static const struct {
		const char *s;
		size_t cells;
	} rows[] = { { "", 0 }, { "abc", 3 }, { "n\xc3\xa4h", 3 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4 }, { "e\xcc\x81", 1 }, { "\xf0\x9f\x94\xa5", 2 },
		{ "\xef\xbf\xbd", 1 }, { "\xff\xfe", 2 }, { "\xe2\x80\x8b", 0 } };
	struct nh_arena a = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(nh_cells(rows[i].s, strlen(rows[i].s)) == rows[i].cells);
	ok(nh_cells_fit("abcdef", 4) == 4);
	ok(nh_cells_fit("\xe6\x97\xa5\xe6\x9c\xac", 3) == 3);
	ok(nh_cells_fit_end("\xe6\x97\xa5\xe6\x9c\xac", 3) == 3);
	ok(nh_cells_fit("abc", 9) == 3 && nh_cells_fit_end("abc", 9) == 3);
	is(nh_shorten(&a, "abcdefghij", 10), "abcdefghij");
	is(nh_shorten(&a, "abcdefghijk", 10), "abc...hijk");
	is(nh_shorten(&a, "/usr/lib/libnccl.so.2.17.1", 16), "/usr/l....2.17.1");
	is(nh_shorten(&a, "abcdefghijk", 1), "a...k");
	nh_arena_free(&a);
	return done();
}
