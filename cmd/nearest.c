#include "opts.h"

#include <string.h>

#define WORD_MAX 32

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edits between two words, a swap of neighbours counting as one: most typing errors are just one.
 */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), d[WORD_MAX + 1][WORD_MAX + 1];

	if (n > WORD_MAX || m > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	return d[n][m];
}

void nh_nearest_try(struct nh_nearest *n, const char *candidate)
{
	size_t d = distance(n->word, candidate), word = strlen(n->word), len = strlen(candidate);

	/* One letter in four wrong is a typing error, more is another word. */
	if (d > (len > word ? len : word) / 4 || (n->best && d >= n->distance))
		return;
	n->best = candidate;
	n->distance = d;
}

const char *nh_nearest_hint(struct nh_arena *a, const struct nh_nearest *n, const char *prefix)
{
	return n->best ? nh_arena_printf(a, " (did you mean '%s%s'?)", prefix, n->best) : "";
}
