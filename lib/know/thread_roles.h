/*
 * What a thread or process is for: how it looks while it has nothing to do, and by what it is
 * known.  NCCL's own threads: know/nccl_roles.h.
 * Sources: CPython 3.8 to 3.14 (multiprocessing, concurrent.futures, asyncio), PyTorch 1.13 to 2.14
 * (utils/data, c10d, autograd, elastic, inductor), Gloo, libgomp, LLVM's OpenMP, OpenBLAS, UCX;
 * the Python ones and Gloo, autograd and store measured with 1.13 and 2.6.
 */
#ifndef NH_KNOW_THREAD_ROLES_H
#define NH_KNOW_THREAD_ROLES_H

#include "know/awaits.h"
#include "know/wait.h"
#include "model/stack.h"

/* In the order of precedence where several are on one stack. */
enum nh_thread_role {
	NH_THREAD_ANY, /* not known */
	NH_THREAD_CHECKPOINT,
	NH_THREAD_LOADER_WORKER,
	NH_THREAD_LOADER_PIN,
	NH_THREAD_FEEDER,
	NH_THREAD_SHARER,
	NH_THREAD_TRACKER,
	NH_THREAD_FORKSERVER,
	NH_THREAD_MANAGER,
	NH_THREAD_MANAGER_CLIENT,
	NH_THREAD_POOL_WORKER,
	NH_THREAD_POOL_HANDLER,
	NH_THREAD_EXECUTOR_PROCESS,
	NH_THREAD_EXECUTOR_MANAGER,
	NH_THREAD_EXECUTOR_THREAD,
	NH_THREAD_COMPILE_MAIN,
	NH_THREAD_COMPILE_READER,
	NH_THREAD_AGENT,
	NH_THREAD_TENSORBOARD,
	NH_THREAD_PROGRESS_BAR,
	NH_THREAD_LOG_LISTENER,
	NH_THREAD_SOCKET_SERVER,
	NH_THREAD_EVENT_LOOP,
	NH_THREAD_WATCHDOG,
	NH_THREAD_HEARTBEAT,
	NH_THREAD_HOOK,
	NH_THREAD_AUTOGRAD,
	NH_THREAD_STORE,
	NH_THREAD_GLOO_RUN,
	NH_THREAD_GLOO_IO,
	NH_THREAD_WORKER_SERVER,
	NH_THREAD_DIST_ENGINE,
	NH_THREAD_OPENMP,
	NH_THREAD_OPENBLAS,
	NH_THREAD_CUDA,
	NH_THREAD_UCX,
	NH_THREAD_PMIX,
	NH_THREAD_JEMALLOC,
	NH_THREAD_CHILD,   /* of multiprocessing, with a target of the user's */
	NH_THREAD_SERVER,  /* it waits for connections, whatever it is */
	NH_THREAD_TRAINER, /* the main thread of a rank */
	NH_THREAD_ROLES,
};

enum nh_bound {
	NH_BOUND_ANY,
	NH_BOUND_TIMEOUT,    /* its wait always has a timeout */
	NH_BOUND_NO_TIMEOUT, /* its wait never has one */
};

struct nh_thread_role_row {
	const char *word; /* "DataLoader worker" */
	const char *idle; /* how it looks while it has nothing to do, in words */
	const char *comm; /* names separated by '|', "cuda0*" = beginning so; NULL */
	/* Part of the command line of a process whose main thread it is; NULL. */
	const char *cmdline;
	/* What it runs in: "_feed@multiprocessing/queues.py" is a Python function, anything else a
	 * native one or, with ".so", the module its outermost own frame is in.  Separated by '|'.
	 */
	const char *frame;
	/* Functions that may be between that one and the wait while it is idle, separated by
	 * blanks; the C and C++ runtimes' are not asked.  "*" = its wait alone tells. */
	const char *through;
	uint32_t waits; /* bits 1 << enum nh_wait_kind; 0 = never idle by design */
	enum nh_bound bound;
	bool helper; /* a main thread in it is idle by design only if it serves a listener */
};

/* Never NULL; the row of NH_THREAD_ANY has the word "thread". */
const struct nh_thread_role_row *nh_thread_role_row(enum nh_thread_role role);

/* What a stack says; the same for all threads that have it. */
struct nh_stack_role {
	enum nh_thread_role role; /* NH_THREAD_ANY = its functions do not tell */
	bool quiet;		  /* nothing but waiting is between that function and the wait */
	bool child; /* it is that of a multiprocessing child, whose parent's frames do not count */
	const struct nh_await *awaits; /* NULL */
};
struct nh_stack_role nh_stack_role(const struct nh_stack *s);

/* What else is known of a thread. */
struct nh_thread_clues {
	const struct nh_stack *stack; /* NULL = not taken */
	struct nh_stack_role by_stack;
	const char *comm, *cmdline;
	const struct nh_wait *wait;
	bool main;    /* of its process */
	bool ranked;  /* its process has a RANK */
	bool listens; /* a descriptor it waits on is a listener */
};
enum nh_thread_role nh_thread_role_of(const struct nh_thread_clues *c);
/* Whether a thread of that role is in the shape that the row calls idle; false where that could not
 * be read. */
bool nh_thread_role_is_idle(enum nh_thread_role role, const struct nh_thread_clues *c);

/* A frame's function as the tables name it: "get" for Python's "Queue.get", a native one without
 * its parameters; "" where it is not known.  In buf, or in the frame itself. */
const char *nh_frame_name(const struct nh_frame *f, char *buf, size_t size);
/* Whether the frame is one of those that a row's `frame` lists; the second form is for whoever asks
 * often and has the name. */
bool nh_frame_is_one_of(const struct nh_frame *f, const char *list);
bool nh_frame_is_named(const struct nh_frame *f, const char *name, const char *list);
/* Of the C or C++ runtime. */
bool nh_frame_is_runtime(const struct nh_frame *f);
/* The frames of the stack that are the process's own: a forked child's go on into the parent's
 * below the function that started it. */
size_t nh_own_frames(const struct nh_stack *s);

#endif
