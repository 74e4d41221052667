/*
 * One thread's registers and stack, copied so that it can be unwound later.  A blocked thread is
 * copied without being stopped; the tracer (trace/tracer.h) fills the same structure.
 */
#ifndef NH_TRACE_CAPTURE_H
#define NH_TRACE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc/mem.h"
#include "proc/parse.h"

/* DWARF register numbers: x86-64 0..15 and 16 = return address, AArch64 0..31 and 32 = pc. */
#if defined(__aarch64__)
#define NH_REGS 33
#define NH_REG_SP 31
#define NH_REG_FP 29
#define NH_REG_PC 32
#else
#define NH_REGS 17
#define NH_REG_SP 7
#define NH_REG_FP 6
#define NH_REG_PC 16
#endif

/* The bytes below SP that a leaf function may use (x86-64 ABI; none on AArch64). */
#define NH_RED_ZONE 128
/* The stack in use, and up to two more a thread came from: a signal's alternate stack, a
 * coroutine. */
#define NH_PARTS 3

/* Lists of a thread that are copied at the same instant as its stack. */
#define NH_CHAINS 4
/* Room for all of them together; what does not fit is cut. */
#define NH_CHAINS_BYTES (512U << 10)

/* A linked list in the process's memory, and the object that it hangs on. */
struct nh_chain {
	uint64_t head;	     /* address of that object; 0 = no list */
	uint32_t head_bytes; /* how much of it is copied */
	uint32_t first;	     /* where in it the pointer to the first node lies */
	int32_t hop; /* < 0: straight to the node; else to where, so many bytes on, that is */
	uint32_t node_bytes;
	uint32_t next; /* where in a node the pointer to the next lies */
};

/* What to copy.  Zeroed but for bytes is the usual first try. */
struct nh_window {
	size_t bytes;		     /* of each part, at most */
	uint64_t also[NH_PARTS - 1]; /* further stacks, 0 = none */
	struct nh_chain chain[NH_CHAINS];
};

/* What copying into a buffer takes, with parts of so many bytes. */
#define NH_COPY_ROOM(window) (NH_PARTS * (size_t)(window) + NH_CHAINS_BYTES)

struct nh_part {
	uint64_t base;
	size_t len;
	const unsigned char *bytes;
	bool cut; /* more is mapped behind it */
};

/* A copied list: bytes hold the head, then of every node its address and its content. */
struct nh_nodes {
	const unsigned char *bytes; /* NULL = not even the head could be read */
	size_t len, n;		    /* n nodes */
	bool cut;		    /* the list goes on: no room, or a node that cannot be read */
};

struct nh_stack_copy {
	int64_t tid;
	uint64_t sp, pc;
	uint64_t known; /* bit n: regs[n] is known.  All of them only if the thread was stopped */
	uint64_t regs[NH_REGS];
	struct nh_part part[NH_PARTS]; /* [0] begins NH_RED_ZONE below sp; len 0 = not readable */
	struct nh_nodes nodes[NH_CHAINS];
};

/* Copies the parts and lists that w asks for into buf (NH_COPY_ROOM(w->bytes)); copy->sp is set.
 * Only process_vm_readv: safe while the thread is stopped.  0, or -EFAULT: not even the first. */
int nh_copy_parts(
	int64_t pid, const struct nh_window *w, unsigned char *buf, struct nh_stack_copy *copy);

/*
 * A blocked thread, without a stop: SP and PC from task/TID/syscall, accepted only if that line and
 * the scheduler's counters of the thread (schedstat, else status) read the same after the copy.
 * m->dir is the process directory.  The parts point into buf.  0, or a negative errno: -EAGAIN it
 * ran meanwhile or is running, -EPERM, -ESRCH it ended, -EFAULT the stack is not readable.
 */
int nh_capture_blocked(const struct nh_mem *m, int64_t tid, const struct nh_window *w,
	unsigned char *buf, struct nh_stack_copy *ret);

#endif
