/* A path of the document as a mermaid flowchart, which GitHub and GitLab draw. */
#ifndef NH_REPORT_MERMAID_H
#define NH_REPORT_MERMAID_H

#include "report/doc.h"

/* The nodes and arrows among the blocks [from, to): the source, without its fence. */
const char *nh_mermaid(struct nh_arena *a, const struct nh_doc *d, size_t from, size_t to);

#endif
