/* Functions that wait for another rank, by their names on a stack. */
#ifndef NH_KNOW_REMOTE_H
#define NH_KNOW_REMOTE_H

#include "model/stack.h"

/* Whether a native frame's function waits until another process of the job does its part. */
bool nh_waits_for_rank(const struct nh_frame *f);

#endif
