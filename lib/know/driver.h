/* Device drivers a training job hangs in: by the device's file, or by functions of the kernel. */
#ifndef NH_KNOW_DRIVER_H
#define NH_KNOW_DRIVER_H

#include "model/process.h"

struct nh_driver {
	const char *name;	  /* for a person */
	const char *devices[3];	  /* what the paths of its device files begin with */
	const char *functions[6]; /* what its functions begin with, leading underscores aside */
	const char *look;	  /* a command that shows its state without touching the device */
};

const struct nh_driver *nh_driver_of_path(const char *path);
/* By the functions the thread is in, in the kernel. */
const struct nh_driver *nh_driver_of_thread(const struct nh_thread *t);

#endif
