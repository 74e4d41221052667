/*
 * The CPython runtime inside a process, read from outside: interpreters, thread states, frames and
 * the GIL, for 3.8 to 3.15.  Everything comes from the process's memory (no file need exist) and is
 * checked before it is believed: types, bounds, loops.
 */
#ifndef NH_PYTHON_PYTHON_H
#define NH_PYTHON_PYTHON_H

#include "know/cpython.h"
#include "stack/unwind.h"

struct nh_python {
	struct nh_space *space;
	struct nh_arena *arena;
	struct nh_py_layout layout;
	uint64_t runtime;	   /* address of _PyRuntime */
	const char *version;	   /* "3.13.5"; "3.8" where the process does not tell more */
	const char *image;	   /* the file it is in */
	const char *why;	   /* why it cannot be read */
	bool others;		   /* there is a second runtime, which is not read */
	uint64_t code_type;	   /* of code objects, once one was seen */
	struct nh_py_code **codes; /* read so far, by address */
};

/*
 * Looks for the runtime.  s and a must outlive ret.  0; -ENOENT: there is no CPython in that
 * process; -ENOTSUP: there is one that cannot be read, ret->why says why.
 */
int nh_py_find(struct nh_space *s, struct nh_arena *a, struct nh_python *ret);

/* An interpreter; id 0 is the main one, the others are sub-interpreters. */
struct nh_py_interp {
	uint64_t addr, gil; /* gil 0 = it could not be read */
	int64_t id;
	bool locked;
	uint64_t holder; /* thread state that took the GIL last; it has it if locked */
	int64_t switches;
};

/* A thread as an interpreter knows it. */
struct nh_py_thread {
	uint64_t addr; /* thread state */
	size_t interp; /* index */
	uint64_t pthread;
	int64_t native; /* the TID it says; NH_UNKNOWN */
	uint64_t frame; /* innermost frame, in 3.11 and 3.12 C frame */
	size_t task;	/* index into the tasks; NH_PY_NO_TASK = no thread of the process */
};
#define NH_PY_NO_TASK SIZE_MAX

struct nh_py_state {
	NH_VEC(struct nh_py_interp) interps;
	NH_VEC(struct nh_py_thread) threads;
	bool finalizing;
	bool torn; /* no two readings agreed: thread states may be missing */
};

/* Reads lists until two readings agree.  0 or a negative errno. */
int nh_py_state_read(const struct nh_python *py, struct nh_py_state *ret);

/* A thread as the kernel knows it. */
struct nh_py_task {
	int64_t tid, nstid; /* nstid: in its own pid namespace, as the program knows it */
	uint64_t sp;	    /* 0 = unknown */
	uint64_t futex;	    /* address of the futex it waits for; 0 = none */
};

/* Sets each thread's task. */
void nh_py_match_tasks(const struct nh_python *py, struct nh_py_state *st,
	const struct nh_py_task *tasks, size_t n);

/* The lists that hold the frames of the threads of one task, to be copied with its stack. */
void nh_py_chains(const struct nh_python *py, const struct nh_py_state *st, size_t task,
	struct nh_chain ret[NH_CHAINS]);

struct nh_py_frame {
	const char *func; /* qualified name from 3.11 on */
	const char *file;
	int64_t line; /* of the definition where the instruction has none */
};

/* Frames of one C call of the interpreter loop: from begin to before end. */
struct nh_py_segment {
	size_t begin, end;
	uint64_t anchor; /* an address in the stack frame of that call; 0 = unknown */
};

/* The Python frames of a thread, innermost first. */
struct nh_py_stack {
	NH_VEC(struct nh_py_frame) frames;
	NH_VEC(struct nh_py_segment) segments;
	const char *why; /* not all frames could be read */
};

/* From the lists as they were copied for that task. */
void nh_py_frames(struct nh_python *py, const struct nh_py_state *st, size_t task,
	const struct nh_nodes nodes[NH_CHAINS], struct nh_py_stack *ret);

#endif
