#include "collect/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/io.h"
#include "base/str.h"
#include "collect/internal.h"
#include "proc/read.h"

static const char *read_word(struct nh_collector *k, const char *path)
{
	char buf[256];
	ssize_t n = nh_read_small(k->root, path, buf, sizeof(buf));

	return n > 0 ? nh_utf8_repair(k->a, buf, strcspn(buf, "\n")) : NULL;
}

/* What the tree itself says of its host: a recorded one is of another. */
static void read_host(struct nh_collector *k)
{
	struct nh_case *c = k->c;
	struct utsname u;
	char stamp[64];

	uname(&u);
	c->machine = nh_arena_strdup(k->a, u.machine);
	c->host = read_word(k, "sys/kernel/hostname");
	c->kernel = read_word(k, "sys/kernel/osrelease");
	c->boot_id = read_word(k, "sys/kernel/random/boot_id");
	nh_now_rfc3339(stamp, sizeof(stamp));
	c->taken = nh_arena_strdup(k->a, stamp);
	c->ticks_per_s = sysconf(_SC_CLK_TCK);
	if (!k->recorded) {
		struct timespec real, boot;

		clock_gettime(CLOCK_REALTIME, &real);
		clock_gettime(CLOCK_BOOTTIME, &boot);
		c->uptime_ms = boot.tv_sec * 1000 + boot.tv_nsec / 1000000;
		c->boot_ms = real.tv_sec * 1000 + real.tv_nsec / 1000000 - c->uptime_ms;
	}
}

/* What was said so far goes out, and the tables start empty again. */
static int flush(struct nh_collector *k, struct nh_writer *w)
{
	int r = nh_write_tables(w, k->c);

	k->c->samples.n = k->c->processes.n = k->c->threads.n = 0;
	k->c->file_locks.n = k->c->lock_files.n = k->c->shared_maps.n = 0;
	k->c->fds.n = k->c->sockets.n = k->c->modules.n = k->c->stacks.n = k->c->ras.n = 0;
	k->c->gpus.n = 0;
	k->c->cgroups.n = k->c->kernel_events.n = 0;
	k->c->interpreters.n = k->c->rank_groups.n = k->c->collectives.n = k->c->step_waits.n = 0;
	return r ? r : nh_write_gaps(w, k->c);
}

static int64_t read_tracer(int root)
{
	struct nh_status_file st;
	char buf[4096];
	ssize_t n = nh_read_small(root, "self/status", buf, sizeof(buf));

	return n > 0 && !nh_parse_status(buf, (size_t)n, &st) && st.tracer > 0 ? st.tracer : 0;
}

/* The worker stops by itself before its parent stops it: what it has so far is then whole.  Half of
 * the time is the first sample's; the last one keeps a fifth for stacks and a fifth for telling. */
static void set_deadlines(struct nh_collector *k)
{
	int64_t work = k->o->timeout_ms - k->o->interval_ms;

	k->walk_until_ms =
		k->began_ms + (k->sample == 1 ? work / 2 : k->o->timeout_ms - work * 2 / 5);
	k->sample_until_ms = k->began_ms + (k->last ? k->o->timeout_ms - work / 5 : work / 2);
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

/* Who looks, and at what: fills the header. */
static void introduce(struct nh_collector *k, struct nh_writer *w)
{
	struct nh_case *c = k->c;

	k->began_ms = nh_now_ms();
	k->self = getpid();
	k->parent = getppid();
	k->self_netns = nh_read_ns(k->root, "self/ns/net");
	k->tracer = read_tracer(k->root);
	nh_row_init(&nh_case_header_type, c);
	c->schema = NH_SCHEMA;
	c->id = w->id = nh_case_new_id(k->a);
	c->tool = "ncclhang " NH_VERSION;
	for (size_t i = 0; i < k->o->npids; i++)
		*nh_push(k->a, &c->asked) = k->o->pids[i];
	read_host(k);
}

/* Tells what is known so far; non-zero if nobody reads it. */
static int tell(struct nh_collector *k, struct nh_writer *w)
{
	int r = flush(k, w);

	k->c->gaps.n = 0;
	return r;
}

static int take_first(struct nh_collector *k, struct nh_writer *w)
{
	int r;

	nh_take_sample(k);
	/* The header once what selection found is known, before anything else. */
	k->c->selected = k->subjects.n > 0;
	r = nh_write_header(w, k->c);
	k->c->gaps.n = 0;
	/* While we sleep; what maps CUDA is known now. */
	if (!r)
		nh_gpus_begin(k);
	return r;
}

static int take_samples(struct nh_collector *k, struct nh_writer *w)
{
	/* Reading one recording twice is not two samples. */
	int64_t nsamples = k->o->interval_ms && !k->recorded ? 2 : 1, first_ms;
	int r;

	k->sample = 1;
	k->last = nsamples == 1;
	set_deadlines(k);
	r = take_first(k, w);
	if (r)
		return r;
	first_ms = k->began_ms + k->c->samples.v[0].at_ms;
	r = tell(k, w);
	if (r || k->last)
		return r;
	nh_mark_idle(k->mark);
	nh_sleep_ms(first_ms + k->o->interval_ms + 1 - nh_now_ms());
	k->sample = 2;
	k->last = true;
	set_deadlines(k);
	nh_take_sample(k);
	return tell(k, w);
}

int nh_worker_run(const struct nh_collect_opts *o, struct nh_mark *mark, int fd)
{
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	struct nh_collector k = {
		.a = &a, .o = o, .c = &c, .mark = mark, .recorded = o->root != NULL
	};
	struct nh_writer w = { .sink = { nh_write_sink, &fd } };

	raise_file_limit();
	k.root = nh_dir_open(AT_FDCWD, o->root ? o->root : "/proc");
	if (k.root < 0)
		return -k.root;
	introduce(&k, &w);
	if (take_samples(&k, &w))
		return EXIT_FAILURE;
	nh_gpus_end(&k);
	/* Last, with everything else already said: its answer may be slow to come. */
	nh_ask_ras(&k);
	if (o->dump && !k.recorded) {
		/* What is known so far is not to wait for it. */
		if (tell(&k, &w))
			return EXIT_FAILURE;
		nh_ask_dumps(&k);
	}
	if (flush(&k, &w))
		return EXIT_FAILURE;
	nh_mark_idle(mark);
	return nh_write_end(&w) ? EXIT_FAILURE : EXIT_SUCCESS;
}
