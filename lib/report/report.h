/* A verdict in words.  Each format is one file; all draw from one neutral document. */
#ifndef NH_REPORT_REPORT_H
#define NH_REPORT_REPORT_H

#include <stdio.h>
#include "model/case.h"

struct nh_report_opts {
	int width;    /* columns, 80 where unknown */
	bool color;   /* ANSI colours */
	bool verbose; /* -v */
	bool all;     /* --all */
};

/*
 * The report of one or more analysed cases.  merged is the case whose verdict is printed (the only
 * case itself, or the result of nh_merge); cases are those with the tables.  Written to f; errors
 * show in ferror(f).
 */
void nh_report_text(FILE *f, const struct nh_case *merged, struct nh_case *const *cases, size_t n,
	const struct nh_report_opts *opts);
void nh_report_markdown(FILE *f, const struct nh_case *merged, struct nh_case *const *cases,
	size_t n, const struct nh_report_opts *opts);
/* The wait-for graph for graphviz: what is waited for is drawn, who waits for nobody is counted. */
void nh_report_dot(FILE *f, const struct nh_case *merged, struct nh_case *const *cases, size_t n,
	const struct nh_report_opts *opts);
void nh_report_brief(FILE *f, const struct nh_case *merged, const struct nh_report_opts *opts);

#endif
