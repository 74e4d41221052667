#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

int64_t nh_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t nh_now_ms(void)
{
	return nh_now_ns() / 1000000;
}

void nh_now_rfc3339(char *buf, size_t size)
{
	struct timespec t;
	struct tm tm;
	char day[32];

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%03ldZ", day, t.tv_nsec / 1000000);
}

void nh_sleep_ms(int64_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000 };

	if (ms <= 0)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}
