/* Looking things up in one sample of a case.  The index points into the case: build it last. */
#ifndef NH_MODEL_INDEX_H
#define NH_MODEL_INDEX_H

#include "model/case.h"

struct nh_index {
	const struct nh_case *c;
	int64_t sample;
	NH_VEC(const struct nh_process *) processes; /* by pid */
	NH_VEC(const struct nh_thread *) threads;    /* by pid, tid */
	NH_VEC(const struct nh_socket *) sockets;    /* by inode; without inode 0 */
	NH_VEC(const struct nh_socket *) tuples;     /* by netns, local, remote */
	NH_VEC(const struct nh_fd *) holders;	     /* by inode, pid, fd */
	NH_VEC(const struct nh_fd *) fds;	     /* by pid, tid, fd */
	NH_VEC(const struct nh_stack *) stacks;	     /* by number */
};

void nh_index_build(
	struct nh_arena *a, const struct nh_case *c, int64_t sample, struct nh_index *ret);

/* NULL where the sample has no such row. */
const struct nh_process *nh_index_process(const struct nh_index *ix, int64_t pid);
const struct nh_thread *nh_index_thread(const struct nh_index *ix, int64_t pid, int64_t tid);
/* The thread of pid that is nstid inside its own pid namespace. */
const struct nh_thread *nh_index_thread_ns(const struct nh_index *ix, int64_t pid, int64_t nstid);
const struct nh_socket *nh_index_socket(const struct nh_index *ix, int64_t inode);
/* The other end of a connection in the same network namespace: the row with the addresses
 * swapped, or the unix peer; NULL for a listener and for an end that is elsewhere. */
const struct nh_socket *nh_index_peer(const struct nh_index *ix, const struct nh_socket *s);
/* The descriptor that thread t means by number fd: of its own table if it has one. */
const struct nh_fd *nh_index_fd(const struct nh_index *ix, const struct nh_thread *t, int64_t fd);
/* Those of pid that tid, or NH_UNKNOWN, marks as a thread's own, *n of them. */
const struct nh_fd *const *nh_index_fds(
	const struct nh_index *ix, int64_t pid, int64_t tid, size_t *n);
/* Every descriptor seen of that inode, ordered by pid and fd; *n of them. */
const struct nh_fd *const *nh_index_holders(const struct nh_index *ix, int64_t inode, size_t *n);
/* All threads of pid, *n of them. */
const struct nh_thread *const *nh_index_threads(const struct nh_index *ix, int64_t pid, size_t *n);

/* The stack of that number; stacks are not bound to a sample. */
const struct nh_stack *nh_index_stack(const struct nh_index *ix, int64_t stack);

/* Its place in ix->stacks; false where there is none of that number. */
bool nh_index_stack_at(const struct nh_index *ix, int64_t stack, size_t *ret);

#endif
