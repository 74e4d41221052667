/* What the kernel tells beside its processes: control groups, and its log. */
#ifndef NH_MODEL_KERNEL_H
#define NH_MODEL_KERNEL_H

#include "model/field.h"

enum nh_hierarchy {
	NH_CGROUP_V2 = 1,
	NH_CGROUP_FREEZER, /* the v1 hierarchies */
	NH_CGROUP_MEMORY,
};

/* A control group of a process of interest, a row a sample.  Sources: cgroup.events, cgroup.freeze,
 * memory.events, memory.max, memory.current of v2; freezer.state, freezer.self_freezing,
 * memory.oom_control, memory.limit_in_bytes, memory.usage_in_bytes of v1. */
struct nh_cgroup {
	int64_t sample;
	int hierarchy;	   /* enum nh_hierarchy */
	const char *path;  /* as in /proc/PID/cgroup */
	bool frozen;	   /* its processes do not run */
	bool freezes;	   /* it says so itself, not a group above it */
	int64_t oom_kills; /* processes killed for want of memory since it was made */
	bool under_oom;	   /* v1: somebody waits in it for memory */
	int64_t limit;	   /* bytes of memory; NH_UNKNOWN = none */
	int64_t usage;
};

enum nh_kernel_kind {
	NH_KERNEL_OOM = 1,   /* a process was killed for want of memory */
	NH_KERNEL_HUNG,	     /* a task stayed in state D */
	NH_KERNEL_XID,	     /* an error of an NVIDIA GPU */
	NH_KERNEL_NO_ANSWER, /* an NFS server does not answer */
	NH_KERNEL_ANSWERS,   /* it does again */
};

/* A line of the kernel's log, or two of one event.  Source: /dev/kmsg, from its start.  Bounded: of
 * each kind the last NH_KEPT_KERNEL. */
struct nh_kernel_event {
	int kind;	/* enum nh_kernel_kind */
	int64_t at_us;	/* since boot */
	int64_t pid;	/* in the first pid namespace */
	int64_t number; /* of the Xid; HUNG: seconds */
	const char *comm, *cgroup;
	const char *device; /* PCI address, or name of the server */
	const char *text;   /* the line, bounded */
};

#define NH_KEPT_KERNEL 32

extern const struct nh_type nh_cgroup_type, nh_kernel_event_type;

#endif
