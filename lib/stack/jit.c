#include "stack/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "proc/read.h"

#define LINE_MAX_BYTES 4096
/* A compiler that writes without end is not read without end. */
#define LINES_MAX 2000000

/* The pid by which the process calls itself, as the compiler named the file. */
static int64_t own_pid(const struct nh_space *s)
{
	struct nh_status_file status;
	char text[4096];
	ssize_t n = nh_read_small(s->mem.dir, "status", text, sizeof(text));

	if (n < 0 || nh_parse_status(text, (size_t)n, &status) || !status.nnspid)
		return s->mem.pid;
	return status.nspid[status.nnspid - 1];
}

static FILE *open_map(const struct nh_space *s)
{
	char path[64];
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "root/tmp/perf-%lld.map", (long long)own_pid(s));
	fd = nh_file_open(s->mem.dir, path);
	if (fd < 0)
		return NULL;
	f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static uint64_t call_addr(const struct nh_step *step)
{
	return step->pc - step->call;
}

/* The first step at or above addr. */
static size_t lower_bound(struct nh_step **steps, size_t n, uint64_t addr)
{
	size_t low = 0;

	while (n > low) {
		size_t mid = low + (n - low) / 2;

		if (call_addr(steps[mid]) < addr)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* "START SIZE NAME", the numbers hexadecimal. */
static void take_line(char *line, struct nh_step **steps, size_t n, struct nh_arena *a)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16), size;
	const char *name = NULL;

	if (*end != ' ')
		return;
	size = strtoull(end, &end, 16);
	if (*end != ' ')
		return;
	for (size_t i = lower_bound(steps, n, start); i < n; i++) {
		uint64_t offset = call_addr(steps[i]) - start;
		struct nh_symbol *sym;

		if (offset >= size)
			break;
		if (!name)
			name = nh_utf8_repair(a, end + 1, strcspn(end + 1, "\n"));
		sym = nh_new(a, struct nh_symbol, 1);
		*sym = (struct nh_symbol){ .name = name, .generated = true, .offset = offset };
		steps[i]->symbol = sym;
	}
}

void nh_lookup_generated(struct nh_space *s, struct nh_step **steps, size_t n, struct nh_arena *a)
{
	nh_auto_file FILE *f = open_map(s);
	char line[LINE_MAX_BYTES];

	for (int i = 0; f && i < LINES_MAX && fgets(line, sizeof(line), f); i++)
		take_line(line, steps, n, a);
}
