/* What looking does to the one looked at: nothing, whoever is killed and whenever. */
#include <errno.h>
#include <libunwind-ptrace.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include "stack_scene.h"
#include "trace/tracer.h"

#define KILLS 50
#define SIGNALS 500

static const char *scene_path;

static bool start(const char *mode, struct scene *scene)
{
	return ok(scene_path && scene_start(scene_path, mode, NULL, NULL, scene));
}

/* Nobody traces it and it is not left stopped. */
static bool free_to_run(pid_t pid)
{
	struct nh_status_file status = { .tracer = -1 };
	char path[64], text[4096], state = scene_state(pid);
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	n = nh_read_small(AT_FDCWD, path, text, sizeof(text));
	return n > 0 && !nh_parse_status(text, (size_t)n, &status) && status.tracer == 0 && state &&
	       !strchr("tTZX", state);
}

/* epoll_wait returns EINTR to whoever was stopped in it. */
static void blocked_is_not_touched(void)
{
	struct scene scene;
	struct seen seen;

	if (!start("epoll", &scene))
		return;
	for (int i = 0; i < 20; i++) {
		seen_take(scene.pid, false, false, &seen);
		if (seen.t[0].stopped || !seen.t[0].walk.complete)
			break;
		seen_free(&seen);
	}
	ok(!seen.t[0].stopped);
	nh_sleep_ms(20);
	ok(free_to_run(scene.pid));
	ok(waitpid(scene.pid, NULL, WNOHANG) == 0);
	scene_end(&scene);
}

static void running_is_stopped_or_left(void)
{
	struct scene scene;
	struct seen seen;

	if (!start("spin", &scene))
		return;
	seen_take(scene.pid, true, false, &seen);
	ok(seen.t[0].err == -EAGAIN && !seen.t[0].stopped);
	seen_free(&seen);
	seen_take(scene.pid, false, false, &seen);
	ok(seen.t[0].stopped && seen.t[0].walk.complete);
	ok(strstr(seen_names(&seen, 0), " gamma_end beta alpha main ") != NULL);
	ok(free_to_run(scene.pid));
	seen_free(&seen);
	scene_end(&scene);
}

static void consistent_instant(void)
{
	struct scene scene;
	struct seen seen;

	if (!start("thread", &scene))
		return;
	seen_take(scene.pid, false, true, &seen);
	ok(seen.n == 2 && seen.t[0].stopped && seen.t[1].stopped);
	ok(seen.n == 2 && seen.t[0].walk.complete && seen.t[1].walk.complete);
	ok(free_to_run(scene.pid));
	seen_free(&seen);
	scene_end(&scene);
}

/* The stock way, while the thread is stopped: its frames' addresses. */
static size_t stock_walk(pid_t tid, uint64_t *pcs, size_t max)
{
	unw_addr_space_t as = unw_create_addr_space(&_UPT_accessors, 0);
	void *upt = NULL;
	unw_cursor_t c;
	size_t n = 0;
	int status;

	if (!ptrace(PTRACE_SEIZE, tid, NULL, NULL) && !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) &&
		waitpid(tid, &status, __WALL) == tid && as)
		upt = _UPT_create(tid);
	if (upt && unw_init_remote(&c, as, upt) >= 0) {
		unw_word_t pc;

		do {
			unw_get_reg(&c, UNW_REG_IP, &pc);
			pcs[n++] = pc;
		} while (n < max && unw_step(&c) > 0);
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	if (upt)
		_UPT_destroy(upt);
	unw_destroy_addr_space(as);
	return n;
}

static void equal_to_stock(const char *mode)
{
	static uint64_t pcs[1024];
	struct scene scene;
	struct seen seen;

	if (!start(mode, &scene))
		return;
	seen_take(scene.pid, true, false, &seen);
	for (size_t i = 0; i < seen.n; i++) {
		const struct nh_walk *w = &seen.t[i].walk;
		size_t n = stock_walk((pid_t)seen.tids[i], pcs, 1024), same = 0;

		while (same < n && same < w->n && w->v[same].pc == pcs[same])
			same++;
		if (!ok(!w->complete || (same == n && same == w->n)))
			printf("# %s: %zu of our %zu equal stock's %zu\n", mode, same, w->n, n);
	}
	seen_free(&seen);
	scene_end(&scene);
}

/* Takes the process's stacks with stops until it is killed; says the tracer's pid first. */
static _Noreturn void take_forever(pid_t pid, int out)
{
	struct nh_trace_job job = { .tid = pid, .window = { .bytes = 65536 } };
	struct nh_tracer *t;
	int64_t tracer = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nh_tracer_new(1, 65536, &t))
		_exit(1);
	for (;;) {
		nh_tracer_copy(t, pid, &job, 1, 100);
		if (tracer == nh_tracer_pid(t))
			continue;
		tracer = nh_tracer_pid(t);
		if (write(out, &tracer, sizeof(tracer)) != sizeof(tracer))
			_exit(1);
	}
}

static void killed_at_any_instant(void)
{
	struct scene scene;
	int left = 0, pair[2];

	if (!start("spin", &scene) || pipe(pair))
		return;
	for (int i = 0; i < KILLS; i++) {
		pid_t worker = fork();
		int64_t tracer = 0;

		if (!worker)
			take_forever(scene.pid, pair[1]);
		if (read(pair[0], &tracer, sizeof(tracer)) != sizeof(tracer) || tracer <= 0)
			left++;
		usleep((useconds_t)(random() % 3000));
		kill(i % 2 ? worker : (pid_t)tracer, SIGKILL);
		if (i % 2 == 0)
			nh_sleep_ms(1); /* the next tracer may be at it already */
		kill(worker, SIGKILL);
		waitpid(worker, NULL, 0);
		for (int ms = 0; ms < 500 && !free_to_run(scene.pid); ms++)
			nh_sleep_ms(1);
		left += !free_to_run(scene.pid);
		while (poll(&(struct pollfd){ pair[0], POLLIN, 0 }, 1, 0) > 0)
			if (read(pair[0], &tracer, sizeof(tracer)) < 0)
				break;
	}
	nh_sleep_ms(1000);
	left += !free_to_run(scene.pid);
	ok(left == 0);
	close(pair[0]);
	close(pair[1]);
	scene_end(&scene);
}

static volatile int *counter;

static void count(int sig)
{
	++*counter;
}

/* Queued signals that arrive while the thread is being stopped must reach it, each of them. */
static void signals_pass(void)
{
	struct nh_trace_job job = { .window = { .bytes = 65536 } };
	struct nh_tracer *t = NULL;
	pid_t pid;
	int sent = 0, good = 0;

	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	signal(SIGRTMIN, count);
	pid = fork();
	if (!pid)
		for (prctl(PR_SET_PDEATHSIG, SIGKILL);;)
			;
	job.tid = pid;
	ok(!nh_tracer_new(1, 65536, &t));
	for (int i = 0; i < SIGNALS; i++) {
		sent += !sigqueue(pid, SIGRTMIN, (union sigval){ 0 });
		nh_tracer_copy(t, pid, &job, 1, 2000); /* on a busy machine */
		good += !job.err;
	}
	for (int ms = 0; ms < 1000 && *counter < sent; ms++)
		nh_sleep_ms(1);
	ok(sent == SIGNALS && *counter == SIGNALS);
	ok(good == SIGNALS);
	ok(free_to_run(pid));
	nh_tracer_free(t);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A process stopped by SIGSTOP can be looked at, and stays stopped. */
static void stopped_stays_stopped(void)
{
	struct scene scene;
	struct seen seen;
	struct nh_trace_job job = { .window = { .bytes = 65536 } };
	struct nh_tracer *t = NULL;

	if (!start("main", &scene))
		return;
	kill(scene.pid, SIGSTOP);
	for (int i = 0; i < 200 && scene_state(scene.pid) != 'T'; i++)
		nh_sleep_ms(1);
	seen_take(scene.pid, true, false, &seen);
	ok(seen.t[0].walk.complete);
	job.tid = scene.pid;
	ok(!nh_tracer_new(1, 65536, &t) && !nh_tracer_copy(t, scene.pid, &job, 1, 100));
	ok(!job.err);
	nh_sleep_ms(10);
	ok(scene_state(scene.pid) == 'T');
	nh_tracer_free(t);
	seen_free(&seen);
	scene_end(&scene);
}

int main(void)
{
	static const char *const modes[] = { "main", "thread", "alloca", "signal", "deep" };
	static const char *const flags[] = { "-O2", "-O0", "-O2 -fno-omit-frame-pointer" };
	const char *cc = getenv("CC");

	cc = cc && *cc ? cc : "cc";
	for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
		scene_path = scene_build(cc, flags[f], "tracer");
		for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
			equal_to_stock(modes[i]);
	}
	blocked_is_not_touched();
	running_is_stopped_or_left();
	consistent_instant();
	stopped_stays_stopped();
	signals_pass();
	killed_at_any_instant();
	return done();
}
