/* `ncclhang demo`: a job that really hangs, without GPU, to try the inspector on. */
#ifndef NH_DEMO_H
#define NH_DEMO_H

#include <stdbool.h>

struct nh_demo_scene {
	const char *name, *summary;
	const char *script; /* "0i0f0a": a rank's digit and an enum nh_demo_op, step by step */
	char ending;	    /* what rank 0 is told before the demo ends, 0 = nothing */
	bool hangs;	    /* the last step does not return while the helper lives */
};

/* Ends with a row without a name; the first is the default. */
extern const struct nh_demo_scene nh_demo_scenes[];

/*
 * Plays a scene: `pid=N holder=M` on stdout once it stands, then its timeline.  Ends after
 * `seconds` of standing (negative = never), on SIGINT or SIGTERM, or soon after the hang was
 * released; leaves no process behind, however it ends.  The exit status: 0, 64 for a scene that
 * does not exist, 70 if it did not come to stand (said on stderr).
 */
int nh_cmd_demo(const char *scene, bool stripped, double seconds);

#endif
