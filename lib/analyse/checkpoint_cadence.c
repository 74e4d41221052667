#include <stdlib.h>
#include <string.h>
#include "analyse/checkpoint.h"
#include "base/str.h"

enum { SAVES_LEAST = 3 };

const char *nh_ckpt_name_words(struct nh_arena *a, const struct nh_checkpoint *k)
{
	return k->source ? k->source : "a checkpoint";
}

const char *nh_bytes_words(struct nh_arena *a, int64_t bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB", "PB", "EB" };
	double size = (double)bytes;
	size_t u = 0;

	if (bytes == NH_UNKNOWN)
		return "of unknown size";
	while (size >= 1000) {
		size /= 1000;
		u++;
	}
	return nh_arena_printf(a, u ? "%.1f %s" : "%.0f %s", size, units[u]);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The directory a checkpoint lies in. */
static size_t parent(const struct nh_checkpoint *k)
{
	const char *slash = k->source ? strrchr(k->source, '/') : NULL;

	return slash ? (size_t)(slash - k->source) : 0;
}

static bool usable(const struct nh_checkpoint *k, const struct nh_checkpoint *first)
{
	return !k->torn.n && k->done_ms != NH_UNKNOWN && k->source && parent(k) == parent(first) &&
	       !strncmp(k->source, first->source, parent(first));
}

bool nh_cadence_of(const struct nh_case *c, struct nh_cadence *ret)
{
	int64_t *done = nh_new(c->arena, int64_t, c->checkpoints.n);
	int64_t *wrote = nh_new(c->arena, int64_t, c->checkpoints.n);
	const struct nh_checkpoint *first = NULL;
	size_t n = 0, timed = 0;

	*ret = (struct nh_cadence){ 0, NH_UNKNOWN, NH_UNKNOWN, 0 };
	nh_for(k, &c->checkpoints) {
		first = first ? first : k;
		if (!first->source || !usable(k, first))
			continue;
		done[n++] = k->done_ms;
		if (k->files > 1)
			wrote[timed++] = k->done_ms - k->began_ms;
		ret->bytes = k->bytes > ret->bytes ? k->bytes : ret->bytes;
	}
	if (n < SAVES_LEAST)
		return false;
	qsort(done, n, sizeof(*done), by_value);
	for (size_t i = 0; i + 1 < n; i++)
		done[i] = done[i + 1] - done[i];
	qsort(done, n - 1, sizeof(*done), by_value);
	ret->saves = (int64_t)n;
	ret->interval_ms = done[(n - 1) / 2];
	if (timed) {
		qsort(wrote, timed, sizeof(*wrote), by_value);
		ret->write_ms = wrote[timed / 2];
	}
	return ret->interval_ms >= 1000;
}
