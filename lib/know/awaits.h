/*
 * Functions whose caller waits for somebody in particular: for whom, in words.  It says what a
 * thread waits for, never that it waits in vain.
 * Sources: CPython 3.8 to 3.14, PyTorch 1.13 to 2.14, Gloo, the CUDA runtime and driver interfaces.
 */
#ifndef NH_KNOW_AWAITS_H
#define NH_KNOW_AWAITS_H

#include "model/stack.h"

struct nh_await {
	const char *frame; /* functions as in struct nh_thread_role_row */
	const char *whom;  /* "its DataLoader workers" */
	bool spins;	   /* waits on its feet, too: a thread that runs in it waits */
};

/* The most telling row of the process's own frames, or NULL. */
const struct nh_await *nh_await_of(const struct nh_stack *s);

#endif
