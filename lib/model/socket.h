/* Sockets of a network namespace, one row per sample. */
#ifndef NH_MODEL_SOCKET_H
#define NH_MODEL_SOCKET_H

#include "model/field.h"

enum nh_family {
	NH_TCP4 = 1,
	NH_TCP6,
	NH_UNIX,
};

/* The kernel's numbers (include/net/tcp_states.h), so that st= can be stored as read. */
enum nh_tcp_state {
	NH_TCP_ESTABLISHED = 1,
	NH_TCP_SYN_SENT,
	NH_TCP_SYN_RECV,
	NH_TCP_FIN_WAIT1,
	NH_TCP_FIN_WAIT2,
	NH_TCP_TIME_WAIT,
	NH_TCP_CLOSE,
	NH_TCP_CLOSE_WAIT,
	NH_TCP_LAST_ACK,
	NH_TCP_LISTEN,
	NH_TCP_CLOSING,
	NH_TCP_NEW_SYN_RECV,
};

/* Source: sock_diag where the namespace is ours, else /proc/PID/net/{tcp,tcp6,unix}. */
struct nh_socket {
	int64_t sample;
	int64_t netns; /* inode number of the network namespace */
	int family;    /* enum nh_family */
	int state;     /* enum nh_tcp_state; unix: 1 connected, 10 listening, 7 neither */
	int64_t inode; /* 0: no descriptor and no process owns it any more */
	int64_t rx_queue, tx_queue; /* bytes; of a listener: connections waiting for accept */
	int64_t peer_inode;	    /* unix: inode of the other end (sock_diag only) */
	const char *local,
		*remote; /* "10.0.0.1:4711", "[fe80::1]:80"; unix: path, '@' = abstract */
};

extern const struct nh_type nh_socket_type;
extern const char *const nh_tcp_state_names[];

#endif
