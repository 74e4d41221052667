/* Processes that adopt orphans. */
#ifndef NH_KNOW_REAPER_H
#define NH_KNOW_REAPER_H

#include "model/process.h"

/* Whether a child of this process may be an orphan it adopted: init, of the host or of a container,
 * a user's systemd, a container's or job's supervisor that makes itself a child subreaper. */
bool nh_is_reaper(const struct nh_process *p);

#endif
