/* Every row of the roles: a thread idle by design, and one of the same role that is not. */
#include "tap.h"

#include <stdlib.h>
#include "rules/role.h"

/* Frames innermost first, separated by blanks: "get@queue.py" is Python's, "read+libc.so.6" native
 * with its module, "+libgomp.so.1" one without a name. */
struct sample {
	enum nh_thread_role role;
	const char *frames;
	enum nh_wait_kind wait;
	int64_t timeout;
	const char *comm, *cmdline;
	bool main, idle;
};

#define QUEUE                                                                                      \
	"select@selectors.py wait@multiprocessing/connection.py _poll@multiprocessing/connection.py poll@multiprocessing/connection.py get@multiprocessing/queues.py "
#define RECV "_recv@multiprocessing/connection.py _recv_bytes@multiprocessing/connection.py "
#define FORKED                                                                                     \
	" run@multiprocessing/process.py _bootstrap@multiprocessing/process.py _feed@multiprocessing/queues.py <module>@train.py"
#define COND "pthread_cond_wait+libc.so.6 "
#define ROOT " execute_native_thread_routine+libstdc++.so.6 start_thread+libc.so.6 clone3+libc.so.6"
#define LOADER "_worker_loop@torch/utils/data/_utils/worker.py" FORKED
#define PIN "_pin_memory_loop@torch/utils/data/_utils/pin_memory.py"
#define NCCL "c10d::ProcessGroupNCCL::"
#define DRIVER "+libcuda.so.1 +libcuda.so.1" ROOT

/* clang-format off */
static const struct sample samples[] = {
	{ NH_THREAD_CHECKPOINT, "write_data@torch/distributed/checkpoint/filesystem.py save@torch/distributed/checkpoint/state_dict_saver.py _worker@concurrent/futures/thread.py", NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_LOADER_WORKER, QUEUE LOADER, NH_WAIT_POLL, 5000, "pt_data_worker", "", true, true },
	{ NH_THREAD_LOADER_WORKER, "recv@user.py __getitem__@user.py fetch@torch/utils/data/_utils/fetch.py " LOADER, NH_WAIT_POLL, 5000, "pt_data_worker", "", true, false },
	{ NH_THREAD_LOADER_WORKER, "put@multiprocessing/queues.py " LOADER, NH_WAIT_FUTEX, -1, "python", "", true, false },
	{ NH_THREAD_LOADER_WORKER, QUEUE LOADER, NH_WAIT_POLL, -1, "python", "", true, false },
	{ NH_THREAD_LOADER_WORKER, "", NH_WAIT_POLL, 5000, "pt_data_worker", "", true, false },
	{ NH_THREAD_LOADER_PIN, QUEUE "do_one_step@torch/utils/data/_utils/pin_memory.py " PIN, NH_WAIT_POLL, 5000, "pt_data_pin", "", false, true },
	{ NH_THREAD_LOADER_PIN, "put@queue.py do_one_step@torch/utils/data/_utils/pin_memory.py " PIN, NH_WAIT_FUTEX, -5, "pt_data_pin", "", false, false },
	{ NH_THREAD_FEEDER, "wait@threading.py _feed@multiprocessing/queues.py run@threading.py", NH_WAIT_FUTEX, -1, "pt_data_worker", "", false, true },
	{ NH_THREAD_FEEDER, "_send@multiprocessing/connection.py _feed@multiprocessing/queues.py", NH_WAIT_WRITE, -5, "python", "", false, false },
	{ NH_THREAD_SHARER, "accept@socket.py accept@multiprocessing/connection.py _serve@multiprocessing/resource_sharer.py", NH_WAIT_ACCEPT, -5, "python", "", false, true },
	{ NH_THREAD_SHARER, "close@multiprocessing/reduction.py _serve@multiprocessing/resource_sharer.py", NH_WAIT_READ, -5, "python", "", false, false },
	{ NH_THREAD_TRACKER, "read+libc.so.6 main@multiprocessing/resource_tracker.py", NH_WAIT_READ, -5, "python", "python -c from multiprocessing.resource_tracker import main;main(5)", true, true },
	{ NH_THREAD_TRACKER, "", NH_WAIT_READ, -5, "python", "python -c from multiprocessing.resource_tracker import main;main(5)", true, false },
	{ NH_THREAD_FORKSERVER, "select@selectors.py main@multiprocessing/forkserver.py", NH_WAIT_EPOLL, -1, "python", "python -c from multiprocessing.forkserver import main", true, true },
	{ NH_THREAD_CHILD, "run@multiprocessing/process.py _bootstrap@multiprocessing/process.py select@selectors.py main@multiprocessing/forkserver.py", NH_WAIT_EPOLL, -1, "python", "python -c from multiprocessing.forkserver import main", true, false },
	{ NH_THREAD_MANAGER, "wait@threading.py wait@threading.py serve_forever@multiprocessing/managers.py", NH_WAIT_FUTEX, -5, "python", "", true, true },
	{ NH_THREAD_MANAGER, "handle_request@multiprocessing/managers.py accepter@multiprocessing/managers.py", NH_WAIT_READ, -5, "python", "", false, false },
	{ NH_THREAD_MANAGER_CLIENT, RECV "recv@multiprocessing/connection.py serve_client@multiprocessing/managers.py", NH_WAIT_READ, -5, "python", "", false, true },
	{ NH_THREAD_MANAGER_CLIENT, "work@user.py serve_client@multiprocessing/managers.py", NH_WAIT_READ, -5, "python", "", false, false },
	{ NH_THREAD_POOL_WORKER, RECV "recv_bytes@multiprocessing/connection.py get@multiprocessing/queues.py worker@multiprocessing/pool.py" FORKED, NH_WAIT_READ, -5, "python", "", true, true },
	{ NH_THREAD_POOL_WORKER, "__enter__@multiprocessing/synchronize.py get@multiprocessing/queues.py worker@multiprocessing/pool.py" FORKED, NH_WAIT_FUTEX, -1, "python", "", true, true },
	{ NH_THREAD_POOL_WORKER, "job@user.py mapstar@multiprocessing/pool.py worker@multiprocessing/pool.py", NH_WAIT_FUTEX, -1, "python", "", true, false },
	{ NH_THREAD_POOL_HANDLER, "select@selectors.py wait@multiprocessing/connection.py _wait_for_updates@multiprocessing/pool.py _handle_workers@multiprocessing/pool.py", NH_WAIT_POLL, -1, "python", "", false, true },
	{ NH_THREAD_POOL_HANDLER, "_send@multiprocessing/connection.py _handle_tasks@multiprocessing/pool.py", NH_WAIT_WRITE, -5, "python", "", false, false },
	{ NH_THREAD_EXECUTOR_PROCESS, RECV "recv_bytes@multiprocessing/connection.py get@multiprocessing/queues.py _process_worker@concurrent/futures/process.py", NH_WAIT_READ, -5, "python", "", true, true },
	{ NH_THREAD_EXECUTOR_PROCESS, "job@user.py _process_worker@concurrent/futures/process.py", NH_WAIT_READ, -5, "python", "", true, false },
	{ NH_THREAD_EXECUTOR_MANAGER, "select@selectors.py wait@multiprocessing/connection.py wait_result_broken_or_wakeup@concurrent/futures/process.py run@concurrent/futures/process.py", NH_WAIT_POLL, -1, "python", "", false, true },
	{ NH_THREAD_EXECUTOR_MANAGER, "join@multiprocessing/process.py wait_result_broken_or_wakeup@concurrent/futures/process.py", NH_WAIT_CHILD, -5, "python", "", false, false },
	{ NH_THREAD_EXECUTOR_THREAD, "+_queue.so _worker@concurrent/futures/thread.py run@threading.py", NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_EXECUTOR_THREAD, "job@user.py run@concurrent/futures/thread.py _worker@concurrent/futures/thread.py", NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_COMPILE_MAIN, "_recv_msg@torch/_inductor/compile_worker/subproc_pool.py main@torch/_inductor/compile_worker/subproc_pool.py", NH_WAIT_READ, -5, "python", "", true, true },
	{ NH_THREAD_COMPILE_MAIN, "submit@torch/_inductor/compile_worker/subproc_pool.py main@torch/_inductor/compile_worker/subproc_pool.py", NH_WAIT_READ, -5, "python", "", true, false },
	{ NH_THREAD_COMPILE_READER, "_recv_msg@torch/_inductor/compile_worker/subproc_pool.py _read_thread@torch/_inductor/compile_worker/subproc_pool.py", NH_WAIT_READ, -5, "python", "", false, true },
	{ NH_THREAD_COMPILE_READER, "set_result@concurrent/futures/_base.py _read_thread@torch/_inductor/compile_worker/subproc_pool.py", NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_AGENT, "_invoke_run@torch/distributed/elastic/agent/server/api.py run@torch/distributed/elastic/agent/server/api.py", NH_WAIT_SLEEP, -5, "pt_elastic", "", true, true },
	{ NH_THREAD_AGENT, "_monitor_workers@torch/distributed/elastic/agent/server/local_elastic_agent.py _invoke_run@torch/distributed/elastic/agent/server/api.py", NH_WAIT_SLEEP, -5, "pt_elastic", "", true, false },
	{ NH_THREAD_TENSORBOARD, "wait@threading.py get@queue.py run@tensorboard/summary/writer/event_file_writer.py", NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_TENSORBOARD, "flush@record_writer.py run@tensorboard/summary/writer/event_file_writer.py", NH_WAIT_WRITE, -5, "python", "", false, false },
	{ NH_THREAD_PROGRESS_BAR, "wait@threading.py run@tqdm/_monitor.py", NH_WAIT_FUTEX, -5, "python", "", false, true },
	{ NH_THREAD_PROGRESS_BAR, "acquire@tqdm/std.py run@tqdm/_monitor.py", NH_WAIT_FUTEX, -5, "python", "", false, false },
	{ NH_THREAD_LOG_LISTENER, "wait@threading.py get@queue.py dequeue@logging/handlers.py _monitor@logging/handlers.py", NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_LOG_LISTENER, "emit@logging/__init__.py handle@logging/handlers.py _monitor@logging/handlers.py", NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_SOCKET_SERVER, "select@selectors.py serve_forever@socketserver.py", NH_WAIT_POLL, 500, "python", "", true, true },
	{ NH_THREAD_SOCKET_SERVER, "do_GET@user.py serve_forever@socketserver.py", NH_WAIT_POLL, 500, "python", "", true, false },
	{ NH_THREAD_EVENT_LOOP, "select@selectors.py _run_once@asyncio/base_events.py run_forever@asyncio/base_events.py", NH_WAIT_EPOLL, -1, "python", "", false, true },
	{ NH_THREAD_EVENT_LOOP, "select@selectors.py _run_once@asyncio/base_events.py run_forever@asyncio/base_events.py", NH_WAIT_EPOLL, -1, "python", "", true, false },
	{ NH_THREAD_EVENT_LOOP, "select@selectors.py work@user.py _run@asyncio/events.py _run_once@asyncio/base_events.py", NH_WAIT_EPOLL, -1, "python", "", false, false },
	{ NH_THREAD_WATCHDOG, COND NCCL "watchdogHandler+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_watchdg", "", false, true },
	{ NH_THREAD_WATCHDOG, COND NCCL "Watchdog::runLoop+libtorch_cuda.so " NCCL "Watchdog::run+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "python", "", false, true },
	{ NH_THREAD_WATCHDOG, COND "+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_watchdg", "", false, true },
	{ NH_THREAD_WATCHDOG, COND "cudaEventQuery+libcudart.so.12 +libtorch_cuda.so " NCCL "watchdogHandler+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_watchdg", "", false, false },
	{ NH_THREAD_WATCHDOG, COND "ncclCommAbort+libnccl.so.2" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_watchdg", "", false, false },
	{ NH_THREAD_HEARTBEAT, COND NCCL "HeartbeatMonitor::runLoop+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_heartbt", "", false, true },
	{ NH_THREAD_HEARTBEAT, "clock_nanosleep+libc.so.6 " NCCL "heartbeatMonitor+libtorch_cuda.so" ROOT, NH_WAIT_SLEEP, -5, "pt_nccl_heartbt", "", false, false },
	{ NH_THREAD_HOOK, COND NCCL "runHookLoop+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_runhook", "", false, true },
	{ NH_THREAD_HOOK, COND "hook@user.py " NCCL "runHookLoop+libtorch_cuda.so" ROOT, NH_WAIT_FUTEX, -5, "pt_nccl_runhook", "", false, false },
	{ NH_THREAD_AUTOGRAD, COND "torch::autograd::ReadyQueue::pop+libtorch_cpu.so torch::autograd::Engine::thread_main+libtorch_cpu.so torch::autograd::Engine::thread_init+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "pt_autograd_0", "", false, true },
	{ NH_THREAD_AUTOGRAD, COND "c10d::Work::wait+libtorch_cpu.so torch::autograd::Engine::evaluate_function+libtorch_cpu.so torch::autograd::Engine::thread_main+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "pt_autograd_0", "", false, false },
	{ NH_THREAD_STORE, "poll+libc.so.6 +libtorch_cpu.so" ROOT, NH_WAIT_POLL, -1, "pt_tcpstore", "", false, true },
	{ NH_THREAD_STORE, "recv+libc.so.6 +libtorch_cpu.so" ROOT, NH_WAIT_READ, -5, "pt_tcpstore", "", false, false },
	{ NH_THREAD_GLOO_RUN, COND "c10d::ProcessGroupGloo::runLoop+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_GLOO_RUN, COND "gloo::transport::tcp::UnboundBuffer::waitRecv+libtorch_cpu.so gloo::barrier+libtorch_cpu.so c10d::ProcessGroupGloo::runLoop+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "pt_gloo_runloop", "", false, false },
	{ NH_THREAD_GLOO_IO, "epoll_wait+libc.so.6 gloo::transport::tcp::Loop::run+libtorch_cpu.so" ROOT, NH_WAIT_EPOLL, 10, "python", "", false, true },
	{ NH_THREAD_GLOO_IO, COND "gloo::transport::tcp::Pair::handleEvents+libtorch_cpu.so gloo::transport::tcp::Loop::run+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_WORKER_SERVER, "", NH_WAIT_ACCEPT, -5, "pt_workerserver", "", false, true },
	{ NH_THREAD_WORKER_SERVER, "", NH_WAIT_FUTEX, -1, "pt_workerserver", "", false, false },
	{ NH_THREAD_DIST_ENGINE, COND "torch::autograd::ReadyQueue::pop+libtorch_cpu.so torch::distributed::autograd::DistEngine::globalCpuThread+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "pt_dist_engine", "", false, true },
	{ NH_THREAD_DIST_ENGINE, COND "work+libx.so torch::distributed::autograd::DistEngine::globalCpuThread+libtorch_cpu.so" ROOT, NH_WAIT_FUTEX, -1, "pt_dist_engine", "", false, false },
	{ NH_THREAD_OPENMP, "+libgomp.so.1 +libgomp.so.1 start_thread+libc.so.6 clone3+libc.so.6", NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_OPENMP, COND "at::parallel_for+libtorch_cpu.so +libgomp-a34b3233.so.1" ROOT, NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_OPENBLAS, COND "blas_thread_server+libopenblas.so.0" ROOT, NH_WAIT_FUTEX, -1, "python", "", false, true },
	{ NH_THREAD_OPENBLAS, "write+libc.so.6 blas_thread_server+libopenblas.so.0" ROOT, NH_WAIT_WRITE, -5, "python", "", false, false },
	{ NH_THREAD_CUDA, "poll+libc.so.6 " DRIVER, NH_WAIT_POLL, -1, "cuda-EvtHandlr", "", false, true },
	{ NH_THREAD_CUDA, "poll+libc.so.6 " DRIVER, NH_WAIT_POLL, 100, "cuda00001400006", "", false, true },
	{ NH_THREAD_CUDA, "ioctl+libc.so.6 " DRIVER, NH_WAIT_OTHER, -5, "python", "", false, false },
	{ NH_THREAD_UCX, "epoll_wait+libc.so.6 ucs_event_set_wait+libucs.so.0 +libucs.so.0" ROOT, NH_WAIT_EPOLL, -1, "python", "", false, true },
	{ NH_THREAD_UCX, COND "+libucs.so.0" ROOT, NH_WAIT_FUTEX, -1, "python", "", false, false },
	{ NH_THREAD_PMIX, "epoll_wait+libc.so.6 event_base_loop+libevent_core-2.1.so.7 +libpmix.so.2" ROOT, NH_WAIT_EPOLL, -1, "python", "", false, true },
	{ NH_THREAD_PMIX, "event_base_loop+libevent_core-2.1.so.7 +libpmix.so.2" ROOT, NH_WAIT_READ, -5, "python", "", false, false },
	{ NH_THREAD_JEMALLOC, "", NH_WAIT_FUTEX, -5, "jemalloc_bg_thd", "", false, true },
	{ NH_THREAD_JEMALLOC, "", NH_WAIT_READ, -5, "jemalloc_bg_thd", "", false, false },
	{ NH_THREAD_CHILD, "run@multiprocessing/process.py _bootstrap@multiprocessing/process.py", NH_WAIT_SLEEP, -5, "python", "python -c from multiprocessing.spawn import spawn_main", true, false },
	{ NH_THREAD_SERVER, "", NH_WAIT_ACCEPT, -5, "server", "", false, true },
	{ NH_THREAD_ANY, "accept+libc.so.6", NH_WAIT_READ, -5, "python", "", false, false },
	{ NH_THREAD_TRAINER, "step@train.py <module>@train.py", NH_WAIT_FUTEX, -1, "python", "RANK", true, false },
	{ NH_THREAD_ANY, "step@train.py <module>@train.py", NH_WAIT_FUTEX, -1, "python", "", true, false },
	/* A function of the same name in another file. */
	{ NH_THREAD_ANY, "wait@threading.py _feed@my_multiprocessing/queues.py", NH_WAIT_FUTEX, -1, "python", "", false, false },
};
/* clang-format on */

static void read_frames(struct nh_arena *a, const char *s, struct nh_stack *ret)
{
	while (*s) {
		size_t n = strcspn(s, " "), name = strcspn(s, "@+ ");
		struct nh_frame *f = nh_push(a, &ret->frames);

		*f = (struct nh_frame){ .func = name ? nh_arena_strndup(a, s, name) : NULL };
		if (s[name] == '@') {
			f->python = true;
			f->file = nh_arena_printf(
				a, "/usr/lib/%.*s", (int)(n - name - 1), s + name + 1);
		} else if (s[name] == '+') {
			f->module = nh_arena_strndup(a, s + name + 1, n - name - 1);
		}
		s += n + (s[n] == ' ');
	}
}

/* What the clues of one sample give, and what was expected. */
static void tell(struct nh_arena *a, const struct sample *s)
{
	struct nh_stack stack = { .complete = true };
	struct nh_wait wait = { .kind = s->wait,
		.timeout_ms = s->timeout == -5 ? NH_UNKNOWN : s->timeout };
	struct nh_thread_clues c = { .comm = s->comm,
		.cmdline = s->cmdline,
		.wait = &wait,
		.main = s->main,
		.ranked = !strcmp(s->cmdline, "RANK") };
	enum nh_thread_role role;

	read_frames(a, s->frames, &stack);
	if (stack.frames.n) {
		c.stack = &stack;
		c.by_stack = nh_stack_role(&stack);
	}
	role = nh_thread_role_of(&c);
	ok(role == s->role && nh_thread_role_is_idle(role, &c) == s->idle);
	if (role != s->role || nh_thread_role_is_idle(role, &c) != s->idle)
		printf("# sample %zu, %s: it is %s, %sidle\n", (size_t)(s - samples), s->frames,
			nh_thread_role_row(role)->word,
			nh_thread_role_is_idle(role, &c) ? "" : "not ");
}

/* Every role has its thread among the samples, and one in its idle shape where it has any. */
static void covered(void)
{
	for (int r = NH_THREAD_ANY + 1; r < NH_THREAD_ROLES; r++) {
		const struct nh_thread_role_row *row = nh_thread_role_row((enum nh_thread_role)r);
		bool idle = false, busy = false;

		for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
			idle |= samples[i].role == (enum nh_thread_role)r && samples[i].idle;
			busy |= samples[i].role == (enum nh_thread_role)r && !samples[i].idle;
		}
		ok(row->word && row->idle && (idle || !row->waits) &&
			(busy || r == NH_THREAD_SERVER || r == NH_THREAD_FORKSERVER));
		if (!idle && row->waits)
			printf("# no idle sample of %s\n", row->word);
	}
}

/* Rows of a case: which names a thread owns, which threads are joined. */
static void in_a_case(struct nh_arena *a)
{
	struct nh_case c = { .arena = a, .machine = "x86_64" };
	struct nh_graph g;

	for (int i = 0; i < 3; i++) {
		struct nh_thread *t = nh_case_row(&c, thread, threads);

		t->sample = 1;
		t->pid = 7;
		t->tid = t->nstid = 7 + i;
		t->state = "S";
		t->comm = i ? "jemalloc_bg_thd" : "python";
		t->nr = 202; /* futex */
		for (int k = 0; k < 6; k++)
			*nh_push(a, &t->args) = k == 1 ? 0x189 : 0;
	}
	struct nh_process *p = nh_case_row(&c, process, processes);

	p->sample = 1;
	p->pid = 7;
	p->comm = "python";
	nh_graph_build(a, &c, 1, &g);
	ok(!nh_role_of(&g, &c.threads.v[0]).word && !nh_is_idle_by_design(&g, &c.threads.v[0]));
	is(nh_role_of(&g, &c.threads.v[1]).word, "jemalloc background thread");
	ok(nh_is_idle_by_design(&g, &c.threads.v[1]) && nh_is_idle_by_design(&g, &c.threads.v[2]));
	c.threads.v[0].args.v[1] = 0x109; /* thread 7 joins thread 8 */
	c.threads.v[0].args.v[2] = 8;
	c.threads.v[0].futex_word = 8;
	c.threads.v[2].state = "D";
	nh_graph_build(a, &c, 1, &g);
	ok(nh_role_of(&g, &c.threads.v[1]).idle && !nh_is_idle_by_design(&g, &c.threads.v[1]));
	ok(!nh_is_idle_by_design(&g, &c.threads.v[2]));
	p->comm = "jemalloc_bg_thd"; /* inherited by all of them */
	nh_graph_build(a, &c, 1, &g);
	ok(!nh_role_of(&g, &c.threads.v[1]).word);
}

int main(void)
{
	struct nh_arena a = { 0 };

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		tell(&a, &samples[i]);
	covered();
	in_a_case(&a);
	nh_arena_free(&a);
	return done();
}
