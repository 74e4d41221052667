/*
 * A communicator's control plane in the shape of NCCL 2.17's, without GPU: a TCP listener, a
 * service thread, a progress thread, a connection of the rank to its own service thread.
 * Functions bear NCCL's names so that a stack reads like those in bug reports; the code is ours.
 * What fails ends the program.
 */
#ifndef NH_DEMO_COMM_H
#define NH_DEMO_COMM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "shared.h"

#define NCCL_MAX_LOCAL_RANKS 64

/* Starts zeroed; ncclProxyConnect may precede ncclCommInitRank. */
struct ncclComm {
	int peerSocks[2], npeerSocks; /* client ends of the control connections */
	int bootstrap[2];	      /* both ends of a ring of one: closed last */
	int listener, port;
	atomic_int abortFlag;
	bool shutdownOnClose; /* the repair of 2.18 */
	pthread_t service, progress;
	atomic_int serviceTid;
	struct ncclProxyOps *ops; /* what the progress thread waits for, in shared memory */
};

void ncclCommInitRank(struct ncclComm *comm);
/* A control connection to the service thread on that port, made and acknowledged; its fd. */
int ncclProxyConnect(struct ncclComm *comm, int port);
/* One more request on the first connection, whose reply stays queued unread; its fd. */
int ncclProxyLeaveUnread(struct ncclComm *comm);
/* Both end in pthread_join of the service thread. */
void ncclCommAbort(struct ncclComm *comm, bool shutdown_first);
void ncclCommDestroy(struct ncclComm *comm);

/* Reports ev to the demo; time, rank and pid are filled in.  Never blocks. */
void trace(struct nh_demo_event ev);
/* ret, unless it is negative: then the program ends, saying what failed. */
int must(int ret, const char *what);

#endif
