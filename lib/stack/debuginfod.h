/* Debug files from debuginfod servers, by elfutils' own client program. */
#ifndef NH_STACK_DEBUGINFOD_H
#define NH_STACK_DEBUGINFOD_H

#include <stdint.h>

/*
 * Runs `debuginfod-find debuginfo BUILD_ID` (which asks the servers of DEBUGINFOD_URLS and keeps a
 * cache) and opens the file it names.  The program is ended when until_ms comes, on nh_now_ms's
 * clock.  A descriptor; -ENOENT: no server has it, none is configured or the program is not
 * installed; -ETIMEDOUT; or another negative errno.
 */
int nh_debuginfod_open(const char *build_id, int64_t until_ms);

#endif
