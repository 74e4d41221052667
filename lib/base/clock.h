/* Time: monotonic for measuring, UTC for stamping. */
#ifndef NH_BASE_CLOCK_H
#define NH_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t nh_now_ms(void);
/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t nh_now_ns(void);
/* The present in UTC as RFC 3339 with milliseconds, e.g. 2026-11-29T03:12:05.123Z. */
void nh_now_rfc3339(char *buf, size_t size);
/* Sleeps ms milliseconds (none if not positive), also over interrupting signals. */
void nh_sleep_ms(int64_t ms);

#endif
