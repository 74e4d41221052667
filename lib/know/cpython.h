/*
 * Where CPython keeps what a stack needs, as byte offsets for each minor version on 64-bit Linux.
 * Source: offsetof() on the headers of 3.8.18 to 3.15.0, x86-64 and AArch64, which agree in all but
 * the GIL's end.  From 3.13 on the interpreter publishes them itself (struct _Py_DebugOffsets at
 * the start of _PyRuntime); known here is only where that struct has which, so that other patch
 * releases and builds with other options are read right.
 */
#ifndef NH_KNOW_CPYTHON_H
#define NH_KNOW_CPYTHON_H

#include <stddef.h>
#include <stdint.h>

enum nh_py_field {
	NH_PY_RUNTIME_INTERPRETERS, /* first interpreter */
	NH_PY_RUNTIME_FINALIZING,
	NH_PY_RUNTIME_GIL, /* the GIL itself; to 3.11 */
	NH_PY_INTERP_GIL,  /* pointer to it; from 3.12 */
	NH_PY_INTERP_NEXT,
	NH_PY_INTERP_ID,
	NH_PY_INTERP_THREADS, /* first thread state, the youngest */
	NH_PY_THREAD_NEXT,
	NH_PY_THREAD_INTERP,
	NH_PY_THREAD_PTHREAD, /* pthread_t */
	NH_PY_THREAD_NATIVE,  /* TID; from 3.11 */
	NH_PY_THREAD_FRAME,   /* innermost frame; in 3.11 and 3.12 the C frame */
	NH_PY_CFRAME_FRAME,   /* 3.11 and 3.12: innermost frame */
	NH_PY_CFRAME_PREVIOUS,
	NH_PY_FRAME_PREVIOUS,
	NH_PY_FRAME_CODE,
	NH_PY_FRAME_AT,	   /* last instruction: an index to 3.10, then a pointer */
	NH_PY_FRAME_ENTRY, /* 3.11: a C call of the interpreter began with this frame */
	NH_PY_FRAME_OWNER, /* from 3.12: NH_PY_OWNED_BY_C and above is no Python frame */
	NH_PY_CODE_FILE,
	NH_PY_CODE_NAME,  /* qualified from 3.11 on */
	NH_PY_CODE_LINE,  /* of the definition */
	NH_PY_CODE_LINES, /* the line table */
	NH_PY_CODE_BYTES, /* the instructions; from 3.11 */
	NH_PY_OBJECT_TYPE,
	NH_PY_TYPE_NAME,
	NH_PY_STR_LENGTH,
	NH_PY_STR_STATE,
	NH_PY_STR_DATA, /* of ASCII strings; others lie a few words behind */
	NH_PY_BYTES_SIZE,
	NH_PY_BYTES_DATA,
	NH_PY_FIELDS
};

#define NH_PY_OWNED_BY_C 3

/* In the GIL, every version. */
#define NH_PY_GIL_HOLDER 8    /* thread state that took it last */
#define NH_PY_GIL_LOCKED 16   /* int: -1 before it exists, 0, 1 */
#define NH_PY_GIL_SWITCHES 24 /* changes of holder so far */
#define NH_PY_GIL_COND 32     /* condition variable of those who want it */
#define NH_PY_GIL_MUTEX 80    /* with it, and both for a forced switch */
#if defined(__aarch64__)
#define NH_PY_GIL_END 224
#else
#define NH_PY_GIL_END 208
#endif

/* pthread_t of glibc leads to the TID; other C libraries keep it elsewhere near. */
#if defined(__aarch64__)
#define NH_PTHREAD_TID 208
#else
#define NH_PTHREAD_TID 720
#endif

#define NH_PY_NONE UINT32_MAX
#define NH_PY_OLDEST 8
#define NH_PY_NEWEST 15

struct nh_py_layout {
	int minor;
	uint32_t at[NH_PY_FIELDS]; /* NH_PY_NONE = this version has no such field */
	uint32_t str_wide;	   /* data of strings that are not ASCII */
};

/* Bytes from an object's start to behind the last of the fields first to last, of 8 bytes each. */
#define NH_PY_ROOM_MAX 1032
uint32_t nh_py_room(const struct nh_py_layout *l, int first, int last);

/* Enough of the runtime to hold the published offsets. */
#define NH_PY_DEBUG_BYTES 1024
#define NH_PY_COOKIE "xdebugpy"

/* 3.8 to 3.12.  0, or -ENOTSUP: another minor version. */
int nh_py_layout(int minor, struct nh_py_layout *ret);
/*
 * 3.13 and later, from the first NH_PY_DEBUG_BYTES of _PyRuntime.  *version is PY_VERSION_HEX as
 * soon as there is one.  0; -ENOENT: nothing is published there; -ENOTSUP: a version not known
 * here, or offsets that cannot be; -ENOSYS: a free-threaded build.
 */
int nh_py_published(const unsigned char *runtime, struct nh_py_layout *ret, uint32_t *version);

#endif
