/* Evidence files on their way into the case that they make up together. */
#include "case/intake_state.h"

#include <errno.h>
#include <string.h>
#include "base/set.h"
#include "evidence/checkpoint.h"

#define ID_BYTES 4096 /* of each file that make up the id of their case */

/* Dumps, logs, checkpoints: all of them tell of one job.  Its id depends on the files alone, so
 * that the same files give the same report. */
static struct nh_case *files_case(struct nh_intake *in, const char *buf, size_t len)
{
	struct nh_intake_entry *e = in->files;

	if (!e) {
		e = in->files = nh_new(in->a, struct nh_intake_entry, 1);
		nh_row_init(&nh_case_header_type, &e->c);
		e->c.arena = in->a;
		e->c.schema = NH_SCHEMA;
		e->c.tool = "ncclhang " NH_VERSION;
		e->last = -1;
		*nh_push(in->a, &in->cases) = e;
	}
	in->hash = nh_hash(buf, len < ID_BYTES ? len : ID_BYTES, in->hash ^ len);
	e->c.id = nh_arena_printf(in->a, "%016llx", (unsigned long long)in->hash);
	return &e->c;
}

int nh_intake_evidence(struct nh_intake *in, enum nh_kind kind, const char *name, const char *buf,
	size_t len, struct nh_err *err)
{
	struct nh_case *c = files_case(in, buf, len);

	if (kind != NH_KIND_FLIGHT)
		return nh_fail(err, -EINVAL, "%s: not evidence of a known kind", name);
	if (!in->flight)
		in->flight = nh_flight_new(c);
	return in->flight ? nh_flight_read(in->flight, name, buf, len, err)
			  : nh_fail(err, -ENOMEM, "%s: %s", name, strerror(ENOMEM));
}

int nh_intake_log_begin(struct nh_intake *in, const char *name, const char *buf, size_t len)
{
	struct nh_case *c = files_case(in, buf, len);

	if (!in->log)
		in->log = nh_log_new(c);
	if (!in->log)
		return -ENOMEM;
	nh_log_begin(in->log, name);
	nh_log_feed(in->log, buf, len);
	return 0;
}

void nh_intake_log_feed(struct nh_intake *in, const char *buf, size_t len)
{
	nh_log_feed(in->log, buf, len);
}

void nh_intake_log_end(struct nh_intake *in)
{
	nh_log_end(in->log);
}

int nh_intake_checkpoint(struct nh_intake *in, const char *name, int fd, struct nh_err *err)
{
	return nh_checkpoint_file(files_case(in, name, strlen(name)), name, fd, err);
}

int nh_intake_dir(struct nh_intake *in, const char *path, struct nh_err *err)
{
	if (!nh_checkpoint_is_dir(path))
		return 1;
	return nh_checkpoint_dir(files_case(in, path, strlen(path)), path, err);
}

void nh_intake_end_files(struct nh_intake *in)
{
	nh_flight_free(in->flight);
	nh_log_free(in->log);
	in->flight = NULL;
	in->log = NULL;
}
