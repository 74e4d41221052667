#include "tap.h"

#include <fcntl.h>

#include "know/nccl.h"
#include "know/wait.h"

#define X86 "x86_64"
#define ARM "aarch64"

/* A thread in system call nr; its row of arguments is the caller's. */
static struct nh_thread in_call(int64_t nr, const char *wchan, uint64_t args[6])
{
	struct nh_thread t;

	memset(&t, 0, sizeof(t));
	nh_row_init(&nh_thread_type, &t);
	t.nr = nr;
	t.wchan = wchan;
	t.args.v = args;
	t.args.n = t.args.cap = 6;
	return t;
}

static struct nh_wait decode(const char *machine, int64_t nr, const char *wchan, uint64_t a0,
	uint64_t a1, uint64_t a2, uint64_t a3)
{
	uint64_t args[6] = { a0, a1, a2, a3, 0, 0 };
	struct nh_thread t = in_call(nr, wchan, args);

	return nh_wait_decode(machine, &t);
}

static void calls(void)
{
	struct nh_wait w = decode(X86, 7, "do_sys_poll", 0x7f00, 65, 500, 0);

	ok(w.kind == NH_WAIT_POLL && w.nfds == 65 && w.timeout_ms == 500 && w.addr == 0x7f00);
	is(w.call, "poll");
	w = decode(X86, 7, NULL, 0x7f00, 1, 0xffffffff, 0);
	ok(w.timeout_ms == -1);
	w = decode(X86, 0, NULL, 0xffffffff00000005, 0, 0, 0);
	ok(w.kind == NH_WAIT_READ && w.fd == 5);
	w = decode(ARM, 0, NULL, 5, 0, 0, 0);
	ok(w.kind == NH_WAIT_UNKNOWN && !w.call);
	w = decode(ARM, 63, NULL, 5, 0, 0, 0);
	ok(w.kind == NH_WAIT_READ && w.fd == 5);
	w = decode(ARM, 73, NULL, 0x7f00, 65, 0, 0);
	ok(w.kind == NH_WAIT_POLL && w.nfds == 65 && w.timeout_ms == -1);
	/* The timeout is in memory, and was not read there. */
	w = decode(ARM, 73, NULL, 0x7f00, 65, 0x8000, 0);
	ok(w.timeout_ms == NH_UNKNOWN);
	w = decode(X86, 232, "ep_poll", 9, 0x7f00, 16, 0xffffffff);
	ok(w.kind == NH_WAIT_EPOLL && w.fd == 9 && w.timeout_ms == -1);
	w = decode(X86, 99999, NULL, 0, 0, 0, 0);
	ok(w.kind == NH_WAIT_UNKNOWN && w.fd == NH_UNKNOWN);
	w = decode(X86, -1, NULL, 0, 0, 0, 0);
	ok(w.kind == NH_WAIT_UNKNOWN);
}

static void files(void)
{
	struct nh_wait w = decode(X86, 262, NULL, 0xffffff9c, 0x7f00, 0, 0);

	ok(w.kind == NH_WAIT_FILE && w.path == 0x7f00 && w.dirfd == AT_FDCWD && w.fd == NH_UNKNOWN);
	is(w.call, "newfstatat");
	w = decode(ARM, 56, NULL, 7, 0x7f00, 0, 0);
	ok(w.path == 0x7f00 && w.dirfd == 7);
	is(w.call, "openat");
	w = decode(X86, 2, NULL, 0x7f00, 0, 0, 0);
	ok(w.path == 0x7f00 && w.dirfd == AT_FDCWD);
	w = decode(X86, 74, NULL, 5, 0x7f00, 0, 0);
	ok(w.kind == NH_WAIT_FILE && w.fd == 5 && !w.path);
}

static void futexes(void)
{
	struct nh_wait w = decode(X86, 202, NULL, 0x7f00, 0x109, 4711, 0);

	ok(w.kind == NH_WAIT_FUTEX && w.addr == 0x7f00 && w.futex_val == 4711);
	ok(w.futex_op == 0x109 && w.timeout_ms == -1);
	w = decode(X86, 202, NULL, 0x7f00, 0, 4711, 0x8000);
	ok(w.timeout_ms == NH_UNKNOWN);
	ok(nh_futex_is_join_form(0));
	ok(nh_futex_is_join_form(9));
	ok(nh_futex_is_join_form(0x109));
	ok(!nh_futex_is_join_form(0x80));  /* a private mutex */
	ok(!nh_futex_is_join_form(0x189)); /* a private condition variable */
	ok(!nh_futex_is_join_form(1));
	ok(!nh_futex_is_join_form(NH_UNKNOWN));
}

static void restarted(void)
{
	struct nh_wait w = decode(X86, 219, "do_sys_poll", 0x7f00, 65, 500, 0);

	ok(w.kind == NH_WAIT_POLL && w.restarted && w.nfds == 65);
	w = decode(X86, 219, "futex_do_wait", 0x7f00, 0x109, 4711, 0);
	ok(w.kind == NH_WAIT_FUTEX && w.restarted && w.futex_val == 4711);
	w = decode(ARM, 128, "do_sys_poll", 0x7f00, 65, 0, 0);
	is(w.call, "ppoll");
	/* Which call it was cannot be told without a wait channel. */
	w = decode(X86, 219, "0", 0x7f00, 65, 500, 0);
	ok(w.kind == NH_WAIT_UNKNOWN && w.restarted);
}

static void unread(void)
{
	uint64_t args[6] = { 0 };
	struct nh_thread t = in_call(7, NULL, args);

	t.running = true;
	ok(nh_wait_decode(X86, &t).kind == NH_WAIT_UNKNOWN);
	t.running = false;
	t.args.n = 0;
	ok(nh_wait_decode(X86, &t).kind == NH_WAIT_UNKNOWN);
}

static void service(void)
{
	struct nh_wait w = { .kind = NH_WAIT_POLL, .nfds = 65, .timeout_ms = 500 };

	ok(nh_nccl_service_shape(&w));
	w.timeout_ms = 0;
	ok(nh_nccl_service_shape(&w));
	w.timeout_ms = -1;
	ok(!nh_nccl_service_shape(&w));
	w.timeout_ms = 500;
	for (int64_t n = 64; n < 74; n++) {
		w.nfds = n;
		tap_ok(nh_nccl_service_shape(&w) == (n == 65), "slots up to 73", __FILE__,
			__LINE__);
	}
	w.nfds = 74;
	ok(nh_nccl_service_shape(&w));
	w.nfds = NH_UNKNOWN;
	ok(!nh_nccl_service_shape(&w));
	w = (struct nh_wait){ .kind = NH_WAIT_SELECT, .nfds = 65, .timeout_ms = 500 };
	ok(!nh_nccl_service_shape(&w));
	ok(nh_is_training_library("/x/libnccl.so.2.17.1"));
	ok(nh_is_training_library("libtorch_cuda.so"));
	ok(!nh_is_training_library("/libnccl.so/libc.so.6"));
	ok(!nh_is_training_library("libncclfoo.so"));
}

int main(void)
{
	calls();
	files();
	futexes();
	restarted();
	unread();
	service();
	return done();
}
