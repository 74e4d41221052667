/* Native and Python stacks.  Equal stacks are stored once and referred to by number. */
#ifndef NH_MODEL_STACK_H
#define NH_MODEL_STACK_H

#include "model/field.h"

/* One frame.  Addresses are the module's own, so that equal code is equal in every process. */
struct nh_frame {
	const char *func;     /* demangled and whole; NULL = no name is known */
	uint64_t into;	      /* bytes after the symbol's start; 0 for inlined functions */
	const char *module;   /* base name of the mapped file, "[vdso]"; NULL = no file */
	const char *build_id; /* of the module, hexadecimal; only where func is not the function */
	uint64_t offset;  /* in the module's numbering, as addr2line takes it; else the address */
	bool inlined;	  /* into the next frame: it shares that one's offset */
	bool nearest;	  /* func is only the nearest export before it */
	bool signal;	  /* the frame the kernel made to deliver a signal */
	bool guessed;	  /* found by frame pointer, without unwind information */
	bool generated;	  /* code of a just-in-time compiler, named by its perf map */
	bool python;	  /* of a Python function: func is its name, module and offset unknown */
	const char *file; /* of the Python function */
	int64_t line;	  /* in it; NH_UNKNOWN in native frames */
};

/* Source: a copy of the thread's stack, unwound by .eh_frame, named by the module's symbols; frames
 * of CPython's interpreter loop are replaced by those of the functions it runs, copied with them.
 */
struct nh_stack {
	int64_t stack;	    /* its number in the case */
	bool complete;	    /* reaches the frame where the thread or the program starts */
	const char *why;    /* where and why it ended, if it is not */
	const char *python; /* why its Python frames are not whole or not in place */
	NH_VEC(struct nh_frame) frames; /* innermost first */
};

extern const struct nh_type nh_stack_type;

#endif
