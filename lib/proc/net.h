/* The sockets of a network namespace, from whichever source can give them. */
#ifndef NH_PROC_NET_H
#define NH_PROC_NET_H

#include "proc/parse.h"

typedef int nh_sock_fn(void *ctx, const struct nh_sock_row *row);

/*
 * Asks sock_diag for every TCP (NH_TCP4, NH_TCP6) or unix socket of the caller's own network
 * namespace.  fn as in nh_net_each; it may see a row twice, as sockets change while they are
 * listed.  Unlike /proc, the kernel leaves out unix sockets with inode 0 (connections not accepted
 * yet).  0 or a negative errno: -ENOENT without such a diag module, -EAGAIN for two inconsistent
 * dumps in a row, -ETIMEDOUT after 2 s of silence.
 */
int nh_diag_each(int family, nh_sock_fn *fn, void *ctx);

/*
 * The same from PROCDIR/net/{tcp,tcp6,unix}, where procdir is a process directory; works for any
 * namespace.  The table is read in one pass and parsed as it comes: memory does not grow with it.
 * Unix rows lack peer_inode and the queues.  A row and its path are valid in the call of fn only;
 * fn returning non-zero stops and is returned.  0 or a negative errno.
 */
int nh_net_each(int procdir, int family, nh_sock_fn *fn, void *ctx);

#endif
