/* The demo's ranks as processes: the embedded program, run from memory. */
#ifndef NH_DEMO_PATIENT_H
#define NH_DEMO_PATIENT_H

#include <stdbool.h>
#include <sys/types.h>
#include "image/shared.h"

struct nh_patient {
	pid_t pid;    /* 0 = not started */
	int commands; /* writes struct nh_demo_command */
};

/* The program in anonymous memory, so that no file system is needed; a descriptor or a negative
 * errno. */
int nh_patient_image(bool stripped);
/*
 * Starts rank `rank` of `nranks`, alone in a process group with its helpers; `events` is where its
 * struct nh_demo_event go.  It dies with the calling thread.  0 or a negative errno.
 */
int nh_patient_start(int image, int rank, int nranks, int events, struct nh_patient *ret);
/* Gives one command; `port` is for NH_OP_CONNECT. */
void nh_patient_tell(const struct nh_patient *p, int op, int port);
/* Has it ended?  It stays a zombie, so that its process group is not reused. */
bool nh_patient_ended(const struct nh_patient *p);
/* Kills and reaps the rank and its helpers; the caller is a child subreaper. */
void nh_patient_end(struct nh_patient *p);

#endif
