/* What unwind.c and guess.c share. */
#ifndef NH_STACK_WALK_H
#define NH_STACK_WALK_H

#include <libunwind.h>
#include "stack/unwind.h"

struct nh_unwinder {
	unw_addr_space_t as;
	struct nh_space *space;
	const struct nh_stack_copy *copy;
	uint64_t frame_pointer; /* where registers are unknown: the one to try, 0 = none */
	/* what the last step asked for in vain */
	bool wants_frame_pointer, wants_other;
	bool bare;	  /* no unwind information for the pc */
	uint64_t outside; /* a writable address beyond the copy */
	unsigned reads;	  /* of memory */
	struct nh_step steps[NH_STEPS_MAX];
	size_t n;
};

/* Walks from the copy's registers and u->frame_pointer into u->steps.  True if it reached a root;
 * else *rc is the step's error, or 0 for too deep or going round. */
bool nh_walk(struct nh_unwinder *u, int *rc);
/* The whole word at addr from the copied stack; false outside. */
bool nh_copy_word(const struct nh_stack_copy *copy, uint64_t addr, uint64_t *ret);
/* The last step of u needs a frame pointer: finds it.  True leaves the full walk in u. */
bool nh_guess_frame_pointer(struct nh_unwinder *u);

#endif
