/* Which NCCL a process uses, and what that version means for what was seen.  It explains: the facts
 * of sockets and threads stand whatever the version says. */
#ifndef NH_RULES_NCCL_VERSION_H
#define NH_RULES_NCCL_VERSION_H

#include "rules/rule.h"

/* The NCCL that a process uses: of several that it maps, the one most frames of its stacks lie in.
 * NULL = none is known. */
const struct nh_module *nh_nccl_module(const struct nh_graph *g, int64_t pid);
/* Whether a frame of a process's stack lies in an NCCL that it maps. */
bool nh_nccl_has_frame(const struct nh_graph *g, int64_t pid, const struct nh_frame *f);
/* "NCCL 2.17.1 (ncclGetVersion of libnccl.so.2; does not import shutdown)"; m->nccl is set. */
const char *nh_nccl_module_words(struct nh_arena *a, const struct nh_module *m);
/* The same of a process, with the others that it maps; NULL = not known. */
const char *nh_nccl_words(struct nh_arena *a, const struct nh_graph *g, int64_t pid);

/* As evidence: which NCCL, and what it means that its teardown waits for a socket that is held. */
void nh_nccl_tell_held(
	struct nh_arena *a, const struct nh_graph *g, int64_t pid, struct nh_finding *f);
/* As evidence: which NCCL, who joins whom in it, and which hangs of its teardown are known. */
void nh_nccl_tell_known(
	struct nh_arena *a, const struct nh_graph *g, int64_t pid, struct nh_finding *f);

#endif
