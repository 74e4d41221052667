/* The whole unit-test framework: TAP on stdout. */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <string.h>

static int tap_n, tap_bad;

static inline int tap_ok(int good, const char *what, const char *file, int line)
{
	tap_n++;
	if (good)
		printf("ok %d - %s\n", tap_n, what);
	else
		printf("not ok %d - %s:%d %s\n", tap_n, file, line, what);
	tap_bad += !good;
	return good;
}

static inline int tap_is(
	const char *got, const char *want, const char *what, const char *file, int line)
{
	int good = got && want ? !strcmp(got, want) : got == want;

	tap_ok(good, what, file, line);
	if (!good)
		printf("# got      %s\n# expected %s\n", got ? got : "(null)",
			want ? want : "(null)");
	return good;
}

#define ok(cond) tap_ok(!!(cond), #cond, __FILE__, __LINE__)
#define is(got, want) tap_is((got), (want), #got " is " #want, __FILE__, __LINE__)

static inline int done(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

#endif
