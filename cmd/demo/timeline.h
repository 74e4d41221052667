/* The demo's timeline: what the ranks report and what the kernel says of their sockets. */
#ifndef NH_DEMO_TIMELINE_H
#define NH_DEMO_TIMELINE_H

#include <stdint.h>
#include <stdio.h>
#include "image/shared.h"

#define NH_DEMO_ACTORS 3 /* two ranks and a helper */

/* Lines go to out, stamped with the time since t0_ns (CLOCK_MONOTONIC). */
struct nh_timeline {
	FILE *out;
	int64_t t0_ns;
};

void nh_timeline_say(struct nh_timeline *t, int64_t ns, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* In words; nothing for events that are only counted (NH_EV_QUIET). */
void nh_timeline_event(struct nh_timeline *t, const struct nh_demo_event *ev);

/* A process whose descriptors are worth a look; pid 0 = none. */
struct nh_demo_actor {
	const char *name;
	int pid;
};

/*
 * Both rows of the connection between two ports of 127.0.0.1 in the network namespace of
 * actors[0], and which of the actors hold each end by which descriptor.  Says so if /proc cannot
 * tell.
 */
void nh_timeline_kernel(struct nh_timeline *t, int port, int peer_port,
	const struct nh_demo_actor actors[NH_DEMO_ACTORS]);

#endif
