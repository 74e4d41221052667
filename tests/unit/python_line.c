/* Lines by the tables that CPython itself made for one function, against its own reading of them.
 */
#include "tap.h"
#include "python/line.h"

#include <stdint.h>

/* From the instruction at on, the line is this; -1 = none. */
struct run {
	int64_t at, line;
};

/* Made by the interpreters. */
/* clang-format off */
static const unsigned char table_8[] = { 0, 2, 6, 1, 2, 255, 6, 2, 2, 1, 2, 1, 2, 1, 2, 254, 8, 4,
	6, 127, 0, 127, 0, 48, 4, 1, 8, 0, 8, 1, 6, 1, 10, 1, 2, 1, 2, 255 };
static const struct run runs_8[] = { { 0, 5 }, { 6, 6 }, { 8, 5 }, { 14, 7 }, { 16, 8 }, { 18, 9 },
	{ 20, 10 }, { 22, 8 }, { 30, 12 }, { 36, 314 }, { 40, 315 }, { 56, 316 }, { 62, 317 },
	{ 72, 318 }, { 74, 319 }, { 76, 318 }, { 80, 0 } };
static const unsigned char table_10[] = { 6, 2, 2, 1, 6, 255, 2, 2, 2, 1, 2, 1, 2, 1, 6, 254, 12, 4,
	0, 127, 0, 127, 4, 48, 14, 1, 4, 255, 6, 2, 2, 1, 10, 255, 2, 2, 2, 1, 4, 255, 16, 254, 2,
	2, 2, 1, 4, 255 };
static const struct run runs_10[] = { { 0, 5 }, { 3, 6 }, { 4, 5 }, { 7, 7 }, { 8, 8 }, { 9, 9 },
	{ 10, 10 }, { 11, 8 }, { 14, 12 }, { 20, 314 }, { 22, 315 }, { 29, 314 }, { 31, 316 },
	{ 34, 317 }, { 35, 316 }, { 40, 318 }, { 41, 319 }, { 42, 318 }, { 44, 316 }, { 52, 318 },
	{ 53, 319 }, { 54, 318 }, { 56, 0 } };
static const unsigned char table_11[] = { 128, 0, 240, 4, 1, 9, 21, 240, 0, 1, 9, 21, 216, 18, 19,
	240, 3, 1, 9, 21, 241, 0, 1, 9, 21, 244, 0, 1, 9, 21, 128, 65, 240, 4, 5, 5, 14, 216, 12,
	13, 136, 65, 216, 12, 13, 216, 12, 13, 241, 5, 2, 13, 15, 244, 0, 2, 13, 15, 136, 1, 240, 8,
	0, 13, 14, 136, 1, 136, 1, 248, 136, 65, 136, 1, 136, 5, 136, 5, 136, 5, 136, 5, 240, 92, 9,
	0, 11, 12, 240, 0, 1, 5, 20, 216, 8, 9, 136, 81, 137, 6, 136, 1, 144, 1, 144, 1, 145, 3,
	148, 3, 144, 3, 240, 3, 0, 11, 12, 240, 0, 1, 5, 20, 224, 9, 10, 240, 0, 1, 5, 13, 136, 97,
	216, 8, 12, 240, 3, 1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1, 5, 13, 241, 0, 1, 5, 13, 244, 0,
	1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1,
	5, 13, 240, 0, 1, 5, 13, 248, 248, 248, 240, 0, 1, 5, 13, 240, 0, 1, 5, 13, 240, 0, 1, 5,
	13, 240, 0, 1, 5, 13, 224, 12, 13, 216, 12, 13, 240, 3, 1, 12, 15, 240, 0, 1, 5, 15 };
static const struct run runs_11[] = { { 0, 3 }, { 1, 5 }, { 3, 6 }, { 4, 5 }, { 13, 7 }, { 14, 8 },
	{ 16, 9 }, { 17, 10 }, { 18, 8 }, { 26, 12 }, { 29, -1 }, { 30, 12 }, { 36, 314 },
	{ 38, 315 }, { 53, 314 }, { 55, 316 }, { 58, 317 }, { 59, 316 }, { 75, -1 }, { 78, 316 },
	{ 82, 318 }, { 83, 319 }, { 84, 318 }, { 86, 0 } };
static const unsigned char table_13[] = { 128, 0, 241, 6, 0, 19, 20, 243, 3, 1, 9, 21, 217, 18, 19,
	136, 81, 243, 3, 0, 10, 11, 217, 18, 19, 240, 3, 0, 5, 6, 240, 0, 1, 9, 21, 240, 4, 5, 5,
	14, 217, 12, 13, 216, 12, 13, 216, 12, 13, 243, 5, 2, 13, 15, 136, 1, 240, 8, 0, 13, 14,
	136, 1, 246, 92, 9, 0, 11, 12, 216, 8, 9, 136, 81, 137, 6, 136, 1, 144, 1, 148, 3, 247, 3,
	0, 11, 12, 136, 33, 225, 9, 10, 136, 97, 216, 8, 12, 247, 3, 0, 10, 11, 224, 12, 13, 216,
	12, 13, 240, 3, 1, 12, 15, 240, 0, 1, 5, 15, 249, 242, 115, 9, 1, 9, 21, 248, 240, 14, 0,
	13, 14, 137, 1, 250, 247, 96, 9, 0, 10, 11, 140, 17, 224, 12, 13, 216, 12, 13, 240, 3, 1,
	12, 15, 240, 0, 1, 5, 15, 250 };
static const struct run runs_13[] = { { 0, 3 }, { 1, 6 }, { 3, 5 }, { 7, 6 }, { 10, 5 }, { 14, 6 },
	{ 16, 5 }, { 18, 7 }, { 19, 8 }, { 21, 9 }, { 22, 10 }, { 23, 8 }, { 28, 12 }, { 30, 314 },
	{ 37, 315 }, { 48, 314 }, { 57, 316 }, { 60, 317 }, { 61, 316 }, { 69, 318 }, { 70, 319 },
	{ 71, 318 }, { 73, -1 }, { 75, 5 }, { 78, -1 }, { 79, 12 }, { 82, -1 }, { 85, 316 },
	{ 98, 318 }, { 99, 319 }, { 100, 318 }, { 102, -1 }, { 105, 0 } };
/* clang-format on */
#define N(a) (sizeof(a) / sizeof(*(a)))

/* The last run is only the end. */
static int agrees(int minor, const unsigned char *table, size_t n, int64_t first,
	const struct run *runs, size_t nruns)
{
	int64_t step = minor < 10 ? 2 : 1;

	for (size_t i = 0; i + 1 < nruns; i++)
		for (int64_t at = runs[i].at; at < runs[i + 1].at; at += step) {
			int64_t line = nh_py_line(minor, table, n, first, at);

			if (line == runs[i].line)
				continue;
			printf("# at %jd: %jd, not %jd\n", (intmax_t)at, (intmax_t)line,
				(intmax_t)runs[i].line);
			return 0;
		}
	return 1;
}

int main(void)
{
	static const unsigned char endless[] = { 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const unsigned char back[] = { 0xe8, 0x09 }; /* a unit, four lines up */

	ok(agrees(8, table_8, sizeof(table_8), 3, runs_8, N(runs_8)));
	ok(agrees(10, table_10, sizeof(table_10), 3, runs_10, N(runs_10)));
	ok(agrees(11, table_11, sizeof(table_11), 3, runs_11, N(runs_11)));
	ok(agrees(13, table_13, sizeof(table_13), 3, runs_13, N(runs_13)));

	/* Before the first instruction, and behind the last. */
	for (int minor = 8; minor <= 15; minor++)
		ok(nh_py_line(minor, table_11, sizeof(table_11), 7, -1) == 7);
	ok(nh_py_line(10, table_10, sizeof(table_10), 3, 5000) == -1);
	ok(nh_py_line(11, table_11, sizeof(table_11), 3, 86) == -1);
	ok(nh_py_line(13, table_13, sizeof(table_13), 3, INT64_MAX) == -1);
	/* Tables that end in the middle of an entry, or are none. */
	ok(nh_py_line(12, table_11, 3, 3, 50) == -1);
	ok(nh_py_line(12, endless, sizeof(endless), 3, 0) == -1);
	ok(nh_py_line(12, back, sizeof(back), 10, 0) == 6);
	ok(nh_py_line(9, NULL, 0, 3, 4) == 3);
	ok(nh_py_line(10, NULL, 0, 3, 4) == -1);
	ok(nh_py_line(11, NULL, 0, 3, 4) == -1);
	return done();
}
