/* Verdict → document: every sentence of a report that is not a rule's own. */
#ifndef NH_REPORT_WORDS_H
#define NH_REPORT_WORDS_H

#include "analyse/analyse.h"
#include "report/doc.h"

/* What a report is drawn from. */
struct nh_view {
	const struct nh_case *merged; /* whose verdict it is */
	struct nh_case *const *cases; /* whose tables are shown */
	size_t n;
	const struct nh_groups *groups; /* of each case */
	bool all, verbose;
	bool tables; /* every process and thread */
};

/* The whole report; d->arena is set by the caller. */
void nh_words(struct nh_doc *d, const struct nh_view *v);

/* Its parts, in their order. */
void nh_words_finding(struct nh_doc *d, const struct nh_view *v, const struct nh_finding *f);
void nh_words_gaps(struct nh_doc *d, const struct nh_view *v);
void nh_words_summary(struct nh_doc *d, const struct nh_view *v); /* the opening sentence */
void nh_words_elimination(struct nh_doc *d, const struct nh_view *v);
void nh_words_nccl(struct nh_doc *d, const struct nh_view *v);
void nh_words_stacks(struct nh_doc *d, const struct nh_view *v);
void nh_words_python(struct nh_doc *d, const struct nh_view *v, const struct nh_case *c);
void nh_words_settings(struct nh_doc *d, const struct nh_view *v);
void nh_words_checkpoints(struct nh_doc *d, const struct nh_view *v);
void nh_words_cadence(struct nh_doc *d, const struct nh_case *c);
void nh_words_gpus(struct nh_doc *d, const struct nh_view *v);
void nh_words_ras(struct nh_doc *d, const struct nh_view *v);
void nh_words_tables(struct nh_doc *d, const struct nh_case *c); /* --all */
void nh_words_footer(struct nh_doc *d, const struct nh_view *v);

/* "#3  PyEval_RestoreThread+0x1c  libpython3.11.so.1.0" for the i-th frame, "#4  py train.py:71
 * step" for a Python one. */
const char *nh_frame_words(struct nh_arena *a, size_t i, const struct nh_frame *f);
/* "rank 3, pid 4711 (python3), fd 7 on gpu03": what is known of it. */
const char *nh_actor_words(struct nh_arena *a, const struct nh_actor *who, bool host);
/* The number of the last sample a case has. */
int64_t nh_last_sample(const struct nh_case *c);
/* "a, b" for s = "a" and item = "b"; just item for s = "". */
const char *nh_join(struct nh_arena *a, const char *s, const char *item);

#endif
