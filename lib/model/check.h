/* What preflight checked: settings and places that decide whether a failure leaves evidence. */
#ifndef NH_MODEL_CHECK_H
#define NH_MODEL_CHECK_H

#include "model/field.h"

enum nh_check_state {
	NH_CHECK_OFF = 1, /* evidence will be missing */
	NH_CHECK_ADVICE,  /* it will be poorer than it could be; has its price */
	NH_CHECK_UNKNOWN, /* could not be told */
	NH_CHECK_FINE,
};

struct nh_check {
	int state;	     /* enum nh_check_state */
	const char *what;    /* "flight recorder" */
	const char *fact;    /* what was read */
	const char *why;     /* what is lost; NULL where nothing is */
	const char *cost;    /* of mending it; NULL */
	const char *command; /* to paste into a shell; NULL */
	const char *subject; /* "pid 4711", "this environment, for: python train.py" */
};

extern const struct nh_type nh_check_type;

#endif
