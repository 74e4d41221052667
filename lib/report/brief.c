#include "report/report.h"

#include <inttypes.h>
#include "base/str.h"

/* One word: a name with a blank must not look like two fields. */
static void put_word(FILE *f, struct nh_arena *a, const char *s)
{
	for (s = nh_escape(a, s ? s : "-"); *s; s++)
		fputs(*s == ' ' ? "\\x20" : (char[]){ *s, 0 }, f);
}

static void put_number(FILE *f, const char *name, int64_t n)
{
	if (n != NH_UNKNOWN)
		fprintf(f, " %s=%" PRId64, name, n);
}

/* Numbers of the victims; threads of one process stand together and give one number. */
static void victims(FILE *f, const struct nh_finding *fi, const char *name, size_t offset)
{
	const char *sep = "";
	int64_t before = NH_UNKNOWN;

	nh_for(v, &fi->victims) {
		int64_t n = *(const int64_t *)((const char *)v + offset);

		if (n == before || n == NH_UNKNOWN)
			continue;
		if (!*sep)
			fprintf(f, " %s=", name);
		fprintf(f, "%s%" PRId64, sep, n);
		sep = ",";
		before = n;
	}
}

static void verbose(FILE *f, struct nh_arena *a, const struct nh_finding *fi)
{
	const struct nh_actor *who = fi->culprit;

	if (who && who->host) {
		fputs(" host=", f);
		put_word(f, a, who->host);
	}
	if (who) {
		put_number(f, "pid", who->pid);
		put_number(f, "tid", who->tid);
		put_number(f, "rank", who->rank);
		put_number(f, "fd", who->fd);
	}
	victims(f, fi, "victim-pids", offsetof(struct nh_actor, pid));
	victims(f, fi, "victim-ranks", offsetof(struct nh_actor, rank));
}

void nh_report_brief(FILE *f, const struct nh_case *merged, const struct nh_report_opts *opts)
{
	const struct nh_verdict *v = &merged->verdict;
	const char *status = nh_status_names[v->status];
	struct nh_arena a = { 0 };

	if (!v->findings.n)
		fprintf(f, "%s - - victims=0 culprit=-\n", status);
	nh_for(fi, &v->findings) {
		fprintf(f, "%s %s %s victims=%" PRId64 " culprit=", status, fi->id,
			nh_confidence_names[fi->confidence],
			fi->victims_total != NH_UNKNOWN ? fi->victims_total
							: (int64_t)fi->victims.n);
		put_word(f, &a, fi->culprit ? fi->culprit->comm : NULL);
		if (opts->verbose)
			verbose(f, &a, fi);
		fputc('\n', f);
	}
	nh_arena_free(&a);
}
