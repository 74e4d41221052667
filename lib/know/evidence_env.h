/*
 * The environment variables that decide whether a failure leaves evidence, by version of PyTorch.
 * Sources: ProcessGroupNCCL.cpp and FlightRecorder.cpp of PyTorch 2.6.0; strings of libtorch_cpu.so
 * 2.14.1.  What lies between is not known: both names are told then, and the worse default assumed.
 */
#ifndef NH_KNOW_EVIDENCE_ENV_H
#define NH_KNOW_EVIDENCE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

/* Versions of PyTorch are X * 10000 + Y * 100 + Z.  Up to the first only the old names are read;
 * from the second on the new ones, and the old ones as aliases. */
#define NH_TORCH_OLD 20699
#define NH_TORCH_NEW 21400

enum nh_var_test {
	NH_VAR_ON,  /* neither 0 nor a word for it */
	NH_VAR_LOG, /* a level at which NCCL logs warnings */
	NH_VAR_SET, /* not empty */
};

struct nh_evidence_var {
	const char *topic;
	const char *name;		   /* in newer PyTorch */
	const char *old;		   /* in PyTorch 2.6; NULL = the same */
	const char *alias;		   /* an older spelling that all versions read; NULL */
	const char *unset_old, *unset_new; /* defaults of both; "" = nothing */
	const char *also;		   /* "NAME=value" that has the same effect in 2.6; NULL */
	const char *want;		   /* the value to export */
	enum nh_var_test test;
	bool advice;	  /* evidence is poorer without it, but not absent */
	const char *why;  /* what is lost without it */
	const char *cost; /* of having it */
};
/* Ends with topic == NULL. */
extern const struct nh_evidence_var nh_evidence_vars[];

/* Whether a value of the variable, or its default, leaves the evidence. */
bool nh_evidence_is_on(const struct nh_evidence_var *v, const char *value);

/* The value of a variable in a block as /proc/PID/environ has it: len bytes, a NUL after them. */
const char *nh_environ_get(const char *block, size_t len, const char *name);

/*
 * Where the flight recorder writes its dumps, the rank to be appended: the places that come into
 * question for a version of PyTorch (NH_UNKNOWN: of any), the likeliest first.  Returns how many.
 */
#define NH_DUMP_PREFIXES 2
size_t nh_dump_prefixes(struct nh_arena *a, const char *block, size_t len, int64_t torch,
	const char *ret[NH_DUMP_PREFIXES]);

/* How often, in ms, a recorder looks whether its FIFO asks for a dump, at most: each second, but
 * without dump on timeout only when its monitor wakes up. */
int64_t nh_dump_poll_ms(const char *block, size_t len);

/* "2.6.0+cu124" → 20600; NH_UNKNOWN if it is no version. */
int64_t nh_torch_version_parse(const char *s);

#endif
