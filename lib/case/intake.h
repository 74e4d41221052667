/*
 * Reading cases back: lines of many cases may interleave, carry a pdsh "host: " prefix, be cut or
 * be lost.  What is wrong is said, what is whole is used.
 */
#ifndef NH_CASE_INTAKE_H
#define NH_CASE_INTAKE_H

#include "base/err.h"
#include "model/case.h"

struct nh_intake;

/* The intake and its cases live in the arena. */
struct nh_intake *nh_intake_new(struct nh_arena *a);
/*
 * Takes the next bytes of one source (name: a file name or "standard input", for messages).  A line
 * that is no case line, or has a field of the wrong type, is an error naming source, line, column
 * and field; it is kept for nh_intake_error, and reading goes on with the next line.
 * Cases are told apart by id; header integers of unknown kind are ignored.
 */
void nh_intake_feed(struct nh_intake *in, const char *name, const char *buf, size_t len);
/* The source ended: an unfinished last line is taken as a line. */
void nh_intake_end_source(struct nh_intake *in, const char *name);
/* The number of cases so far and the i-th, in order of appearance. */
size_t nh_intake_count(const struct nh_intake *in);
struct nh_case *nh_intake_case(struct nh_intake *in, size_t i);
/* The i-th error so far, NULL past the last (a bounded number is kept, the last one counts the
 * rest). */
const char *nh_intake_error(const struct nh_intake *in, size_t i);
/* Adds to each case a needed gap for every run of missing line numbers and for a missing end; call
 * once, after the last source.  Duplicate lines (same case and n) are dropped as they come. */
void nh_intake_finish(struct nh_intake *in);
/* True once the case's last line has come and none before it is missing. */
int nh_intake_complete(const struct nh_intake *in, size_t i);

/* What a file is, told by its first bytes (at least 4 KiB, if it has them). */
enum nh_kind {
	NH_KIND_UNKNOWN,
	NH_KIND_CASE,
	NH_KIND_GZIP,
	NH_KIND_ZSTD,
	NH_KIND_EMPTY,
	NH_KIND_FLIGHT,	    /* a flight-recorder dump */
	NH_KIND_LOG,	    /* of a rank, a launcher or a training loop */
	NH_KIND_CHECKPOINT, /* a file that torch.save wrote */
};
enum nh_kind nh_kind_detect(const char *buf, size_t len);

/*
 * Takes a whole file that is evidence of the given kind.  All of it becomes rows of one further
 * case.  0, or a negative errno with err naming the file and what is wrong; the rest is still used.
 */
int nh_intake_evidence(struct nh_intake *in, enum nh_kind kind, const char *name, const char *buf,
	size_t len, struct nh_err *err);

/* A log comes in pieces: it begins, more of it, it ends; one at a time.  0 or -ENOMEM. */
int nh_intake_log_begin(struct nh_intake *in, const char *name, const char *buf, size_t len);
void nh_intake_log_feed(struct nh_intake *in, const char *buf, size_t len);
void nh_intake_log_end(struct nh_intake *in);

/* A checkpoint file, read in place through fd; 0 or a negative errno with err as above. */
int nh_intake_checkpoint(struct nh_intake *in, const char *name, int fd, struct nh_err *err);
/* A directory: if it is a checkpoint it is taken as a whole.  0, 1 if what is below it is still to
 * be looked at, or a negative errno with err. */
int nh_intake_dir(struct nh_intake *in, const char *path, struct nh_err *err);

/*
 * Reads a file (path "-" = standard input through fd 0) of any compression into the intake.
 * Decompression is bounded: a file that unpacks to over 4 GiB is refused.  0 or a negative errno
 * with err naming file, place and reason; a directory gives -EISDIR.
 */
int nh_intake_file(struct nh_intake *in, const char *path, struct nh_err *err);

#endif
