/*
 * What the demo and the program it embeds say to each other: commands arrive on the program's
 * stdin, events leave on its stdout.  Both records are far below PIPE_BUF, so each is whole.
 */
#ifndef NH_DEMO_SHARED_H
#define NH_DEMO_SHARED_H

#include <stdint.h>

/* The descriptor of the program's own executable: exec'able where there is no file system. */
#define NH_IMAGE_FD 3
/* argv[0] that selects the helper's role. */
#define NH_HELPER_NAME "helper"

/* Letters, so that a scene is a string of them.  Each is completed by one event. */
enum nh_demo_op {
	NH_OP_INIT = 'i',     /* create the communicator: NH_EV_READY */
	NH_OP_CONNECT = 'c',  /* dial the service thread at `port`: NH_EV_CONNECTED */
	NH_OP_FORK = 'f',     /* fork a helper: NH_EV_HELPER */
	NH_OP_EXEC = 'x',     /* fork a helper and let it exec: NH_EV_HELPER */
	NH_OP_UNREAD = 'u',   /* leave a reply unread: NH_EV_UNREAD */
	NH_OP_ABORT = 'a',    /* abort as 2.17 does, close() only: NH_EV_RETURNED */
	NH_OP_SHUTDOWN = 's', /* abort as 2.18 does, shutdown() first: NH_EV_RETURNED */
	NH_OP_DESTROY = 'd',  /* destroy, saying goodbye: NH_EV_RETURNED */
};

struct nh_demo_command {
	int32_t op;   /* enum nh_demo_op */
	int32_t port; /* NH_OP_CONNECT */
};

enum nh_demo_kind {
	NH_EV_READY = 1, /* tid = service thread, port it listens on */
	NH_EV_CONNECTED, /* fd */
	NH_EV_HELPER,	 /* pid = the helper's; it sleeps from now on */
	NH_EV_UNREAD,	 /* fd */
	NH_EV_RETURNED,	 /* op: the teardown call came back */
	NH_EV_CALLED,	 /* op: a teardown call begins */
	NH_EV_CLOSED,	 /* fd, op: how the control connection was closed */
	NH_EV_ACCEPTED,	 /* fd, slot, npeers, port = the peer's */
	NH_EV_GONE,	 /* fd, slot, npeers, err: a peer connection ended */
	NH_EV_QUIET,	 /* npeers: poll timed out, nothing happened */
};

/* NH_EV_GONE: the peer said so; else 0 = end of file or the errno of recv. */
#define NH_BY_MESSAGE (-1)

struct nh_demo_event {
	int64_t ns;		 /* CLOCK_MONOTONIC */
	int32_t kind, rank, pid; /* enum nh_demo_kind, of whom */
	int32_t tid, op, fd, slot, npeers, port, err;
};

#endif
