/* How CPython ends: the functions that wait for others then, and which code is whose. */
#ifndef NH_KNOW_PYTHON_EXIT_H
#define NH_KNOW_PYTHON_EXIT_H

#include "model/stack.h"

/* What the interpreter does at its end, if that frame says so ("joins every thread that is no
 * daemon"); NULL where it does not. */
const char *nh_python_exit_words(const struct nh_frame *f);
/* A Python frame of the standard library's own waiting: the caller is who wants to know. */
bool nh_python_frame_is_waiting(const struct nh_frame *f);

#endif
