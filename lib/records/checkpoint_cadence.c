#include <stdlib.h>
#include <string.h>
#include "records/checkpoint.h"

enum { SAVES_LEAST = 3, INTERVAL_LEAST_MS = 1000 };

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

/* From the ends of whole checkpoints; written: from a directory's first file to its last. */
static void from_files(const struct nh_case *c, struct nh_cadence *ret)
{
	int64_t *done = nh_new(c->arena, int64_t, c->checkpoints.n + 1);
	int64_t *wrote = nh_new(c->arena, int64_t, c->checkpoints.n + 1);
	const struct nh_checkpoint *first = NULL;
	size_t n = 0, timed = 0;

	nh_for(k, &c->checkpoints) {
		first = first ? first : k;
		if (!first->source || !usable(k, first))
			continue;
		done[n++] = k->done_ms;
		if (k->files > 1)
			wrote[timed++] = k->done_ms - k->began_ms;
	}
	if (n < SAVES_LEAST)
		return;
	qsort(done, n, sizeof(*done), by_value);
	for (size_t i = 0; i + 1 < n; i++)
		done[i] = done[i + 1] - done[i];
	qsort(done, n - 1, sizeof(*done), by_value);
	if (done[(n - 1) / 2] < INTERVAL_LEAST_MS || done[(n - 1) / 2] > INT64_MAX / 1000)
		return;
	ret->saves = (int64_t)n;
	ret->interval_us = done[(n - 1) / 2] * 1000;
	if (timed) {
		qsort(wrote, timed, sizeof(*wrote), by_value);
		ret->write_us = wrote[timed / 2] * 1000;
	}
}

/* Every rank waits for the slowest. */
static void slowest(int64_t *most, int64_t v)
{
	if (v > 0 && v > *most)
		*most = v;
}

static void from_numbers(const struct nh_case *c, struct nh_cadence *ret)
{
	int64_t interval = NH_UNKNOWN, write = NH_UNKNOWN, product;

	nh_for(s, &c->save_costs) {
		slowest(&ret->step_us, s->step_us);
		slowest(&ret->every, s->every);
		slowest(&ret->block_us, s->block_us);
		slowest(&ret->mtbf_us, s->mtbf_us);
		slowest(&interval, s->interval_us);
		slowest(&write, s->write_us);
	}
	if (interval == NH_UNKNOWN && ret->step_us > 0 && ret->every > 0 &&
		!__builtin_mul_overflow(ret->step_us, ret->every, &product)) {
		interval = product;
		ret->training = true;
	}
	ret->interval_us = interval != NH_UNKNOWN ? interval : ret->interval_us;
	ret->write_us = write != NH_UNKNOWN ? write : ret->write_us;
}

bool nh_cadence_of(const struct nh_case *c, struct nh_cadence *ret)
{
	*ret = (struct nh_cadence){ .interval_us = NH_UNKNOWN,
		.write_us = NH_UNKNOWN,
		.block_us = NH_UNKNOWN,
		.step_us = NH_UNKNOWN,
		.every = NH_UNKNOWN,
		.mtbf_us = NH_UNKNOWN };
	from_files(c, ret);
	from_numbers(c, ret);
	return ret->interval_us != NH_UNKNOWN || ret->block_us != NH_UNKNOWN ||
	       ret->write_us != NH_UNKNOWN;
}
