/*
 * NCCL's threads: what each is for, how it looks when idle, by what it is known.  Names are off by
 * default (NCCL_SET_THREAD_NAME), so that a thread is told by its system call's arguments together
 * with a return address inside NCCL, by a function on its stack, and by its name only where one is
 * set.
 * Sources: proxy.cc, bootstrap.cc, ras/, transport/net_ib, net_socket of NCCL 2.10.3 to 2.30.3;
 * idle shapes measured with 2.16.5 to 2.29.7 on glibc 2.36 and 2.41.
 */
#ifndef NH_KNOW_NCCL_ROLES_H
#define NH_KNOW_NCCL_ROLES_H

#include "know/wait.h"
#include "model/stack.h"

enum nh_nccl_role {
	NH_ROLE_NONE, /* no thread of NCCL, or not known which */
	NH_ROLE_SERVICE,
	NH_ROLE_UDS,
	NH_ROLE_PROGRESS,
	NH_ROLE_RAS,
	NH_ROLE_ROOT,
	NH_ROLE_IB_ASYNC,
	NH_ROLE_SOCKET_HELPER,
	NH_ROLE_JOB,
	NH_ROLE_GIN,
	NH_ROLE_RMA,
	NH_ROLE_GRAPH_HELPER,
	NH_ROLE_WORKER, /* progress, socket helper, GIN or RMA, idle: these look the same */
	NH_ROLES,
};

struct nh_nccl_role_row {
	const char *word;	 /* "proxy service thread" */
	const char *idle;	 /* how it looks while it has nothing to do */
	const char *comm;	 /* its name begins so, if names are on; NULL = it sets none */
	const char *functions;	 /* names of its outermost functions, separated by blanks */
	int since;		 /* version; 0 = always */
	enum nh_wait_kind waits; /* what it waits in while idle; NH_WAIT_UNKNOWN = it never is */
};
/* Never NULL; the row of NH_ROLE_NONE has the word "thread". */
const struct nh_nccl_role_row *nh_nccl_role_row(enum nh_nccl_role role);

/* What is known of a thread. */
struct nh_role_clues {
	const struct nh_wait *wait;
	const struct nh_stack *stack; /* NULL = not taken */
	const char *comm;
	bool in_nccl;	     /* a return address on its stack lies in an NCCL image */
	bool joins;	     /* its futex wait is a join: the value is the TID of a sibling */
	bool last_listens;   /* the last slot of its poll set is a listener */
	bool first_unix;     /* the first one is a unix socket */
	const char *fd_path; /* of the descriptor it reads, where that is no socket; NULL */
};
enum nh_nccl_role nh_nccl_role_of(const struct nh_role_clues *c);
/* Whether a thread of that role waits in the way it does while it has nothing to do. */
bool nh_nccl_role_is_idle(enum nh_nccl_role role, const struct nh_wait *w);

#endif
