/* Writing to descriptors. */
#ifndef NH_BASE_IO_H
#define NH_BASE_IO_H

#include <stddef.h>

/* Writes all n bytes, over short writes and interruptions.  0 or a negative errno. */
int nh_write_all(int fd, const void *buf, size_t n);
/* The same in the form of a sink: ctx points to the descriptor. */
int nh_write_sink(void *ctx, const char *buf, size_t n);

#endif
