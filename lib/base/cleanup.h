/* Cleanup attributes: a resource is released where its name goes out of scope. */
#ifndef NH_BASE_CLEANUP_H
#define NH_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void nh_cleanup_free(void *p)
{
	free(*(void **)p);
}
static inline void nh_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void nh_cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}
static inline void nh_cleanup_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define nh_auto_free __attribute__((cleanup(nh_cleanup_free)))
#define nh_auto_close __attribute__((cleanup(nh_cleanup_close)))
#define nh_auto_file __attribute__((cleanup(nh_cleanup_file)))
#define nh_auto_dir __attribute__((cleanup(nh_cleanup_dir)))

#endif
