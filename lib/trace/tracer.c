#include "trace/tracer.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"

/* A blocked thread stops within some ten microseconds; past this it is worth sleeping between
 * looks. */
#define SPIN_NS 200000
#define SLEEP_NS 100000
/* What the parent allows on top of the deadlines before it kills the tracer. */
#define SLACK_MS 500

enum state {
	IDLE,
	SEIZED,
	STOPPED,
};

struct slot {
	int state;
	int signal; /* to be passed on at release */
	int err;
	struct nh_window window;
	struct nh_stack_copy copy;
	unsigned char *buf;
};

/* Everything both processes look at, mapped shared before the fork at one address. */
struct shared {
	int64_t pid;
	size_t n;
	int deadline_ms;
	struct slot slot[];
};

struct nh_tracer {
	struct shared *shared;
	size_t bytes, slots, window;
	pid_t process;
	int fd;
};

#if defined(__aarch64__)
static void dwarf_regs(const struct user_regs_struct *from, struct nh_stack_copy *to)
{
	memcpy(to->regs, from->regs, sizeof(from->regs));
	to->regs[NH_REG_SP] = from->sp;
	to->regs[NH_REG_PC] = from->pc;
}
#elif defined(__x86_64__)
static void dwarf_regs(const struct user_regs_struct *r, struct nh_stack_copy *to)
{
	const uint64_t in_order[NH_REGS] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp,
		r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip };

	memcpy(to->regs, in_order, sizeof(in_order));
}
#else
#error "no register layout for this machine"
#endif

static void seize(struct slot *s)
{
	pid_t tid = (pid_t)s->copy.tid;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
		s->err = -errno;
		return;
	}
	s->state = SEIZED;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		s->err = -errno;
}

/* A signal that arrives first stops the thread just as well; detaching with it delivers it. */
static bool look(struct slot *s)
{
	int status;
	pid_t got = waitpid((pid_t)s->copy.tid, &status, __WALL | WNOHANG);

	if (got == 0)
		return false;
	if (got < 0 || !WIFSTOPPED(status)) {
		s->state = IDLE;
		s->err = got < 0 ? -errno : -ESRCH;
		return true;
	}
	s->state = STOPPED;
	s->signal = status >> 16 ? 0 : WSTOPSIG(status);
	return true;
}

static void wait_all(struct shared *sh)
{
	int64_t begin = nh_now_ns(), now;
	size_t pending;

	do {
		pending = 0;
		for (size_t i = 0; i < sh->n; i++)
			pending += sh->slot[i].state == SEIZED && !look(&sh->slot[i]);
		now = nh_now_ns();
		if (pending && now - begin > SPIN_NS)
			nanosleep(&(struct timespec){ 0, SLEEP_NS }, NULL);
	} while (pending && now - begin < sh->deadline_ms * 1000000LL);
}

static void copy_out(int64_t pid, struct slot *s)
{
	struct user_regs_struct regs;
	struct iovec v = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, (pid_t)s->copy.tid, NT_PRSTATUS, &v)) {
		s->err = -errno;
	} else if (v.iov_len != sizeof(regs)) {
		s->err = -ENOTSUP; /* a 32-bit program */
	} else {
		dwarf_regs(&regs, &s->copy);
		s->copy.sp = s->copy.regs[NH_REG_SP];
		s->copy.pc = s->copy.regs[NH_REG_PC];
		s->copy.known = UINT64_MAX;
		s->err = nh_copy_parts(pid, &s->window, s->buf, &s->copy);
	}
}

/* False: a thread is left seized that would not stop.  Only the tracer's death lets it go. */
static bool serve(struct shared *sh)
{
	bool clean = true;

	for (size_t i = 0; i < sh->n; i++)
		seize(&sh->slot[i]);
	wait_all(sh);
	for (size_t i = 0; i < sh->n; i++)
		if (sh->slot[i].state == STOPPED)
			copy_out(sh->pid, &sh->slot[i]);
	for (size_t i = 0; i < sh->n; i++) {
		struct slot *s = &sh->slot[i];

		if (s->state == STOPPED)
			ptrace(PTRACE_DETACH, (pid_t)s->copy.tid, NULL, (long)s->signal);
		if (s->state == SEIZED) {
			s->err = -ETIMEDOUT;
			clean = false;
		}
	}
	return clean;
}

static _Noreturn void tracer_main(struct shared *sh, int fd, pid_t parent)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before that took effect. */
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "ncclhang-trace");
	setpriority(PRIO_PROCESS, 0, -20); /* shortens the stop on a busy host, where allowed */
	while (read(fd, &byte, 1) == 1) {
		bool clean = serve(sh);

		if (write(fd, &byte, 1) != 1 || !clean)
			break;
	}
	_exit(0);
}

static void end_process(struct nh_tracer *t)
{
	if (!t->process)
		return;
	kill(t->process, SIGKILL);
	while (waitpid(t->process, NULL, 0) < 0 && errno == EINTR)
		;
	close(t->fd);
	t->process = 0;
}

static int start_process(struct nh_tracer *t)
{
	pid_t parent = getpid(), child;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	child = fork();
	if (child == 0) {
		close(pair[0]);
		tracer_main(t->shared, pair[1], parent);
	}
	close(pair[1]);
	if (child < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	t->process = child;
	t->fd = pair[0];
	return 0;
}

int nh_tracer_new(size_t slots, size_t window, struct nh_tracer **ret)
{
	size_t head = sizeof(struct shared) + slots * sizeof(struct slot);
	size_t bytes = head + slots * NH_COPY_ROOM(window);
	struct nh_tracer *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->shared == MAP_FAILED) {
		free(t);
		return -ENOMEM;
	}
	for (size_t i = 0; i < slots; i++)
		t->shared->slot[i].buf =
			(unsigned char *)t->shared + head + i * NH_COPY_ROOM(window);
	t->bytes = bytes;
	t->slots = slots;
	t->window = window;
	*ret = t;
	return 0;
}

void nh_tracer_free(struct nh_tracer *t)
{
	if (!t)
		return;
	end_process(t);
	munmap(t->shared, t->bytes);
	free(t);
}

int64_t nh_tracer_pid(const struct nh_tracer *t)
{
	return t->process;
}

static void put_jobs(struct nh_tracer *t, const struct nh_trace_job *jobs)
{
	for (size_t i = 0; i < t->shared->n; i++) {
		struct slot *s = &t->shared->slot[i];

		s->state = IDLE;
		s->signal = 0;
		s->err = 0;
		s->window = jobs[i].window;
		if (s->window.bytes > t->window)
			s->window.bytes = t->window;
		s->copy = (struct nh_stack_copy){ .tid = jobs[i].tid };
	}
}

/* 0 once the tracer has answered. */
static int ask(struct nh_tracer *t, int timeout_ms)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	char byte = 0;

	if (send(t->fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return -EIO;
	while (poll(&p, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return recv(t->fd, &byte, 1, MSG_DONTWAIT) == 1 ? 0 : -EIO;
}

int nh_tracer_copy(
	struct nh_tracer *t, int64_t pid, struct nh_trace_job *jobs, size_t n, int deadline_ms)
{
	bool restart = false;
	int rc = t->process ? 0 : start_process(t);

	if (rc || n > t->slots)
		return rc ? rc : -EINVAL;
	t->shared->pid = pid;
	t->shared->n = n;
	t->shared->deadline_ms = deadline_ms;
	put_jobs(t, jobs);
	rc = ask(t, deadline_ms + SLACK_MS);
	for (size_t i = 0; i < n && !rc; i++) {
		struct slot *s = &t->shared->slot[i];

		jobs[i].err = s->err;
		jobs[i].copy = s->err ? NULL : &s->copy;
		restart |= s->state == SEIZED;
	}
	if (rc || restart)
		end_process(t);
	return rc;
}
