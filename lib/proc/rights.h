/* What this process may see of others. */
#ifndef NH_PROC_RIGHTS_H
#define NH_PROC_RIGHTS_H

#include <stdbool.h>
#include "base/arena.h"

/* kernel.yama.ptrace_scope, 0 where there is no Yama. */
int nh_ptrace_scope(void);
/* Whether some /proc here is mounted with hidepid. */
bool nh_proc_hides(struct nh_arena *a);
/* Whether we have CAP_SYS_PTRACE. */
bool nh_may_ptrace(void);

#endif
