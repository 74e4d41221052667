/* What a scene is made of, and what its processes tell each other through shared memory. */
#ifndef NH_TEST_SCENE_H
#define NH_TEST_SCENE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include "nccl.h"

enum { MAX_RANKS = 3, MAX_HELPERS = 3 };

/* What a rank does once every rank is ready, one letter each. */
enum act {
	ACT_STAY = 'h',	   /* healthy: nothing */
	ACT_ABORT = 'a',   /* its first communicator */
	ACT_DESTROY = 'd', /* likewise */
	ACT_DIE = 'x',	   /* by SIGKILL, before the others act */
	ACT_ABSENT = '-',  /* lives, but never comes to the communicator */
};

enum phase { LOADING, INIT, READY, ACTING, RETURNED };

struct scene {
	const char *name;
	const char *acts;  /* as many ranks as letters */
	int victim;	   /* the rank to inspect */
	enum phase stands; /* the phase it stays in; READY: it acts when told to "go" */
	int helpers;	   /* forked by rank 0 when the communicators are up */
	int comms;	   /* of rank 0; 0 = 1 */
	bool exec;	   /* helpers run another program */
	bool thread;	   /* act on a second thread, which the main thread joins */
	bool line;	   /* GPUs 0 and 1 reach each other through 2: they dial rank 2's proxy */
	bool deaf;	   /* with deaf.so */
	bool stray;	   /* a foreign client connects to rank 0's proxy and says nothing */
};

struct rank {
	pid_t pid, actor, service; /* actor: the thread that acts; service: of its proxy */
	pid_t helper[MAX_HELPERS];
	_Atomic int phase;
	int result;		       /* ncclResult_t */
	struct sockaddr_storage proxy; /* where its proxy service thread listens */
};

struct shared {
	struct nccl_id id;
	_Atomic bool has_id;
	_Atomic int fd; /* connected to the victim's proxy: of rank 0, or of the stray client */
	struct rank rank[MAX_RANKS];
};

/* What a rank process is given. */
struct part {
	const struct scene *scene;
	struct shared *shared;
	const char *lib, *symbols;
	int orders;   /* one byte = act; closed = end */
	int lifeline; /* closed = the scene is over; a helper closes descriptors read from it */
};

_Noreturn void rank_run(const struct part *h, int rank);

#endif
