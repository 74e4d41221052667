#include <stdio.h>
#include <stdlib.h>
#include "collect/internal.h"
#include "proc/read.h"

static int add(void *ctx, int dirfd, int64_t pid)
{
	struct nh_collector *k = ctx;
	struct nh_stat st;
	char path[40], buf[1024];

	if (!nh_mark_begin(k->mark, pid, "stat"))
		return 0;
	snprintf(path, sizeof(path), "%jd/stat", (intmax_t)pid);

	ssize_t n = nh_read_small(dirfd, path, buf, sizeof(buf));

	if (n > 0 && !nh_parse_stat(buf, (size_t)n, &st))
		*nh_push(k->a, &k->host) = (struct nh_entry){ pid, st.ppid, st.start, st.nthreads,
			st.flags, st.state };
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct nh_entry *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int nh_table_read(struct nh_collector *k)
{
	k->host.n = 0;

	int r = nh_each_number(k->root, ".", add, k);

	if (k->host.n)
		qsort(k->host.v, k->host.n, sizeof(*k->host.v), by_pid);
	return r;
}

const struct nh_entry *nh_table_find(const struct nh_collector *k, int64_t pid)
{
	const struct nh_entry key = { .pid = pid };

	return k->host.n ? bsearch(&key, k->host.v, k->host.n, sizeof(key), by_pid) : NULL;
}
