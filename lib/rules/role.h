/* What a thread is for, and whether it waits because nothing has come for it to do. */
#ifndef NH_RULES_ROLE_H
#define NH_RULES_ROLE_H

#include "graph/graph.h"
#include "know/nccl_roles.h"
#include "know/thread_roles.h"

struct nh_role {
	enum nh_thread_role role; /* NH_THREAD_ANY = not known, or one of NCCL's */
	enum nh_nccl_role nccl;	  /* NH_ROLE_NONE = none of NCCL's, or not known which */
	const char *word;  /* "DataLoader worker", "proxy service thread"; NULL = not known */
	const char *shape; /* how it looks while it has nothing to do, in words */
	bool idle; /* in its idle shape: a system call, a stack and a command line that were read */
};
struct nh_role nh_role_of(const struct nh_graph *g, const struct nh_thread *t);

/* In its role's idle shape, and no thread of its process waits for its end or for a lock of it. */
bool nh_is_idle_by_design(const struct nh_graph *g, const struct nh_thread *t);

#endif
