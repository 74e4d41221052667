/* CPython interpreters: what their runtime says of itself. */
#ifndef NH_MODEL_PYTHON_H
#define NH_MODEL_PYTHON_H

#include "model/field.h"

/* One interpreter of a process in one sample.  Source: the process's memory. */
struct nh_interpreter {
	int64_t sample, pid;
	int64_t id;	     /* 0 is the main one, others are sub-interpreters */
	const char *version; /* "3.13.5"; "3.8" where the process does not tell more */
	bool locked;	     /* its GIL is held */
	int64_t holder;	     /* TID that holds it; NH_UNKNOWN if that is no thread of the process */
	int64_t switches;    /* how often the GIL changed hands so far */
	NH_VEC(int64_t) waiters; /* TIDs that wait for it */
	NH_VEC(int64_t) threads; /* TIDs of its threads, the youngest first */
	bool finalizing;	 /* the runtime ends */
	const char *note;	 /* what about it is not whole or not known */
};

extern const struct nh_type nh_interpreter_type;

#endif
