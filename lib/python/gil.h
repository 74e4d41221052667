/* Who has the GIL and who wants it. */
#ifndef NH_PYTHON_GIL_H
#define NH_PYTHON_GIL_H

#include "python/python.h"

/* The task that holds an interpreter's GIL; NH_PY_NO_TASK: nobody, or a state without a thread. */
size_t nh_py_gil_holder(const struct nh_py_state *st, const struct nh_py_interp *in);

/*
 * Whether a thread that waits for that futex waits for the GIL: on its condition variable or its
 * mutex, or for the other thread to take over after it was made to let go.  Holds for glibc; musl
 * waits on the stack, and its waiters are not seen.
 */
bool nh_py_gil_wanted(const struct nh_py_interp *in, uint64_t futex);

#endif
