/* What is known of NCCL's own threads and versions. */
#ifndef NH_KNOW_NCCL_H
#define NH_KNOW_NCCL_H

#include "know/wait.h"

/*
 * The proxy service thread of a communicator by its system call alone (names are off by default):
 * poll over all local ranks' slots and, in the last one, the listener.  Slots before the last
 * with a descriptor are the live peers it will not leave behind.
 * Sources: proxy.cc of NCCL 2.14.3 … 2.30.3: 65 slots up to 2.24, 74 from 2.25.1, 74 or more from
 * 2.30.3; timeout 500 ms, 0 while operations are pending.
 */
bool nh_nccl_service_shape(const struct nh_wait *w);

/* The libraries that mark a process as a training process. */
bool nh_is_training_library(const char *path);

/* First release whose ncclSocketClose calls shutdown() before close(). */
#define NH_NCCL_SHUTDOWN_SINCE "2.18.1"

#endif
