#include "collect/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

static int write_fd(void *ctx, const char *buf, size_t n)
{
	while (n) {
		ssize_t w = write(*(int *)ctx, buf, n);

		if (w < 0 && errno != EINTR)
			return -errno;
		if (w > 0) {
			buf += w;
			n -= (size_t)w;
		}
	}
	return 0;
}

static void read_host(struct nh_collector *k)
{
	struct nh_case *c = k->c;
	struct timespec real, boot;
	struct utsname u;
	char buf[128];
	ssize_t n;

	uname(&u);
	c->host = nh_arena_strdup(k->a, u.nodename);
	c->kernel = nh_arena_strdup(k->a, u.release);
	c->machine = nh_arena_strdup(k->a, u.machine);
	n = nh_read_small(k->root, "sys/kernel/random/boot_id", buf, sizeof(buf));
	if (n > 0)
		c->boot_id = nh_utf8_repair(k->a, buf, strcspn(buf, "\n"));
	nh_now_rfc3339(buf, sizeof(buf));
	c->taken = nh_arena_strdup(k->a, buf);
	c->ticks_per_s = sysconf(_SC_CLK_TCK);
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	c->boot_ms = (real.tv_sec - boot.tv_sec) * 1000 + (real.tv_nsec - boot.tv_nsec) / 1000000;
}

/* What was said so far goes out, and the tables start empty again. */
static int flush(struct nh_collector *k, struct nh_writer *w)
{
	int r = nh_write_tables(w, k->c);

	k->c->samples.n = k->c->processes.n = k->c->threads.n = 0;
	k->c->fds.n = k->c->sockets.n = k->c->modules.n = k->c->stacks.n = 0;
	return r ? r : nh_write_gaps(w, k->c);
}

static void raise_file_limit(void)
{
	struct rlimit rl;

	/* One directory stays open a process. */
	if (!getrlimit(RLIMIT_NOFILE, &rl)) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
}

int nh_worker_run(const struct nh_collect_opts *o, struct nh_mark *mark, int fd)
{
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	struct nh_collector k = {
		.a = &a, .o = o, .c = &c, .mark = mark, .recorded = o->root != NULL
	};
	struct nh_writer w = { .sink = { write_fd, &fd } };
	int r;

	raise_file_limit();
	k.root = nh_dir_open(-1, o->root ? o->root : "/proc");
	if (k.root < 0)
		return -k.root;
	k.began_ms = nh_now_ms();
	k.self = getpid();
	k.parent = getppid();
	k.self_netns = nh_read_ns(k.root, "self/ns/net");
	nh_row_init(&nh_case_header_type, &c);
	c.schema = NH_SCHEMA;
	c.id = w.id = nh_case_new_id(&a);
	c.tool = "ncclhang " NH_VERSION;
	for (size_t i = 0; i < o->npids; i++)
		*nh_push(&a, &c.asked) = o->pids[i];
	read_host(&k);
	for (k.sample = 1; k.sample <= (o->interval_ms ? 2 : 1); k.sample++) {
		k.last = k.sample == 2 || !o->interval_ms;
		if (k.sample == 2) {
			nh_mark_idle(mark);
			nh_sleep_ms(k.began_ms + o->interval_ms + 1 - nh_now_ms());
		}
		nh_take_sample(&k);
		if (k.sample == 1) {
			/* The header once what selection found is known, before anything else. */
			c.selected = k.subjects.n > 0;
			r = nh_write_header(&w, &c);
			if (r)
				return EXIT_FAILURE;
			c.gaps.n = 0;
		}
		r = flush(&k, &w);
		c.gaps.n = 0;
		if (r)
			return EXIT_FAILURE;
	}
	nh_mark_idle(mark);
	return nh_write_end(&w) ? EXIT_FAILURE : EXIT_SUCCESS;
}
