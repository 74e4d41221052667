/* What a thread is for NCCL: the clues of the case put together (know/nccl_roles.h). */
#ifndef NH_RULES_NCCL_ROLE_H
#define NH_RULES_NCCL_ROLE_H

#include "graph/graph.h"
#include "know/nccl_roles.h"

enum nh_nccl_role nh_nccl_role(const struct nh_graph *g, const struct nh_thread *t);

#endif
