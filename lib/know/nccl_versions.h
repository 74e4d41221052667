/*
 * What NCCL does at teardown, by version: how its service thread leaves, how connections are
 * closed, who waits for whom; what hung in which versions.  Versions explain a fact that was read
 * from a socket or a thread; they never veto one. A version is one number as ncclGetVersion gives
 * it since 2.9: X * 10000 + Y * 100 + Z.
 */
#ifndef NH_KNOW_NCCL_VERSIONS_H
#define NH_KNOW_NCCL_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When the proxy service thread leaves its loop after ncclCommAbort. */
enum nh_nccl_exit {
	NH_EXIT_NO_SERVICE,   /* there is no such thread yet */
	NH_EXIT_MESSAGE,      /* on an explicit Abort message, whatever peers there are */
	NH_EXIT_FLAG,	      /* as soon as it sees the abort flag */
	NH_EXIT_PEERS,	      /* only when its last peer connection has ended */
	NH_EXIT_PEERS_FORCED, /* the same, but it may close them itself */
};

/* How a client ends its connection to a service thread. */
enum nh_nccl_close {
	NH_CLOSE_ONLY,	   /* close(): a duplicate of the descriptor keeps it open */
	NH_CLOSE_SHUTDOWN, /* shutdown() first: ends it whoever holds duplicates */
};

/* On which thread teardown runs, and so whose stack shows the join. */
enum nh_nccl_join {
	NH_JOIN_CALLER,	     /* the one that called ncclCommAbort or ncclCommDestroy */
	NH_JOIN_GROUP,	     /* the caller, or the one that calls ncclGroupEnd */
	NH_JOIN_JOB,	     /* a job thread (ncclAsyncJobMain); the caller sleeps in usleep(1) */
	NH_JOIN_JOB_IF_MANY, /* the caller for one job, else job threads */
	NH_JOIN_DETACH,	     /* abort: nobody, after 5 s the thread is detached */
};

/* Threads of a communicator or process, as bits. */
enum nh_nccl_threads {
	NH_T_PROGRESS = 1,
	NH_T_SERVICE = 2,
	NH_T_UDS = 4,
	NH_T_RAS = 8,
	NH_T_GIN = 16,
	NH_T_RMA = 32,
	NH_T_GRAPH_HELPER = 64,
};

/* A window of versions that behave alike.  The bounds are tags; between the last tag that was read
 * and the first of the next window, the older behaviour is assumed. */
struct nh_nccl_era {
	int from; /* first version; it lasts to the next row's */
	enum nh_nccl_exit exit;
	int nfds; /* slots of the service thread's poll, the least; the listener is the last */
	int timeout_ms; /* of that poll; -1 = none.  0 in between, while operations are pending */
	enum nh_nccl_close close;
	bool close_message; /* on abort the client sends a 4-byte Close message before closing */
	enum nh_nccl_join join;
	unsigned threads;   /* enum nh_nccl_threads */
	const char *order;  /* what abort and destroy wait for, in their order */
	const char *source; /* tag and file that were read */
};

/* Since when there is a RAS service, and since when a query during init does it no harm. */
#define NH_NCCL_RAS_SINCE 22403
#define NH_NCCL_RAS_SAFE 22703

/* The row of a version; NULL before 2.10 and for NH_UNKNOWN. */
const struct nh_nccl_era *nh_nccl_era(int64_t version);
/* Their meaning in a sentence, without a full stop. */
const char *nh_nccl_exit_words(enum nh_nccl_exit e);
const char *nh_nccl_join_words(enum nh_nccl_join j);

enum nh_nccl_note_kind {
	NH_NOTE_REGRESSION, /* in every version of the window */
	NH_NOTE_FIX,	    /* fixed in `from`: earlier ones have it */
};

/* Something known to hang, or to have been mended. */
struct nh_nccl_note {
	enum nh_nccl_note_kind kind;
	int from, to;  /* versions, both included; of a fix both are the fixed one */
	bool teardown; /* concerns abort, destroy or finalize */
	const char *text;
	const char *issues; /* public reports of its symptom: "NCCL #863"; NULL = none known */
	const char *source;
};

/* The notes that concern a version, one after the other: regressions that contain it, fixes that
 * came later.  Begins with after = NULL; NULL at the end. */
const struct nh_nccl_note *nh_nccl_next_note(int64_t version, const struct nh_nccl_note *after);

/* "2.17.1", with anything after it: 21701.  NH_UNKNOWN if it is no version. */
int64_t nh_nccl_version_parse(const char *s);
/* The reverse, into buf; returns it. */
#define NH_NCCL_VERSION_TEXT 24
const char *nh_nccl_version_text(int64_t version, char buf[NH_NCCL_VERSION_TEXT]);
/* The version in a path ".../libnccl.so.2.17.1"; NH_UNKNOWN if there is none. */
int64_t nh_nccl_version_of_path(const char *path);
/*
 * The constant that ncclGetVersion stores, from the bytes of the function: x86-64 builds have
 * [endbr64] test rdi,rdi; je; movl $VERSION,(rdi); xor eax,eax; ret.  NH_UNKNOWN for other bytes.
 */
int64_t nh_nccl_version_of_code(const unsigned char *code, size_t n);
/*
 * "NCCL version 2.17.1+cuda12.1" anywhere in n bytes, such as a .rodata section: only with "+cuda",
 * as messages begin with the same words.  cuda becomes "12.1" if it is found.
 */
#define NH_NCCL_CUDA_TEXT 16
int64_t nh_nccl_version_of_strings(const char *buf, size_t n, char cuda[NH_NCCL_CUDA_TEXT]);

#endif
