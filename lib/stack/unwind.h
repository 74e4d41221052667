/* Unwinding a copied stack with libunwind, offline: the thread has long moved on or was never
 * stopped. */
#ifndef NH_STACK_UNWIND_H
#define NH_STACK_UNWIND_H

#include "stack/space.h"
#include "trace/capture.h"

/* Deeper stacks are cut here. */
#define NH_STEPS_MAX 4096

/* One frame of a walk, innermost first. */
struct nh_step {
	uint64_t pc, sp;	      /* sp: on entry of the unwinder into this frame */
	const struct nh_image *image; /* NULL = generated code or no code at all */
	uint64_t offset;	      /* pc in the image's own numbering, as addr2line takes it */
	bool call;    /* pc is a return address: the call lies before it, at offset - 1 */
	bool signal;  /* the frame the kernel made to deliver a signal */
	bool guessed; /* found without unwind information, from the frame pointer alone */
	const struct nh_symbol *symbol; /* stack/symbol.h; NULL until then, or unknown */
};

struct nh_walk {
	struct nh_step *v;
	size_t n;
	bool complete;	  /* reached the frame where the thread or the program starts */
	bool guessed;	  /* complete thanks to a frame pointer that was found, not known */
	const char *why;  /* where and why it ended, if not complete */
	uint64_t outside; /* a stack address it needed that the copy lacks, 0 = none */
	bool needs_regs;  /* it needed a register that only a stop shows */
	struct nh_nodes nodes[NH_CHAINS]; /* the lists copied with the stack; not nh_unwind's */
};

/* Part of nh_space_open and nh_space_close.  0 or -ENOMEM. */
int nh_unwinder_new(struct nh_space *s);
void nh_unwinder_free(struct nh_space *s);

/*
 * Unwinds.  Memory is served from the copy first, then from read-only mappings of the process;
 * never from anything that could have changed since.  Without registers a frame pointer is guessed
 * where one is needed; the guess counts only if it leads to the thread's root and the return
 * address beside it follows a call of the very function it is to be the frame of.
 */
void nh_unwind(struct nh_space *s, const struct nh_stack_copy *copy, struct nh_arena *a,
	struct nh_walk *ret);

#endif
