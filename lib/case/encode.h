/* Rows → JSON text, by their field tables. */
#ifndef NH_CASE_ENCODE_H
#define NH_CASE_ENCODE_H

#include "model/field.h"

#define NH_ALL UINT32_MAX /* no limit */

/* A growing text in an arena; not NUL-terminated. */
struct nh_text {
	struct nh_arena *a;
	char *s;
	size_t n, cap;
};

/* How much of a row is written.  What is left out is counted where the row has a place for it: a
 * list of strings or of rows with a "fact" ends in "… N more", the list X of a type with an integer
 * X_total next to it has its length there.  Elsewhere `lost` is set. */
struct nh_limits {
	size_t counted; /* elements of lists with an X_total */
	size_t list;	/* elements of every other list */
	size_t str;	/* bytes of a string; a cut one ends in "…" */
	bool lost;
};

void nh_text_add(struct nh_text *t, const char *s, size_t n);
/* A string as JSON, with quotes.  s is valid UTF-8; at most max bytes of it are taken. */
void nh_encode_str(struct nh_text *t, const char *s, size_t max);
/* `,"name":value` for every known field. */
void nh_encode_fields(
	struct nh_text *t, const struct nh_type *type, const void *row, struct nh_limits *lim);
/* {"name":value, …} */
void nh_encode_row(
	struct nh_text *t, const struct nh_type *type, const void *row, struct nh_limits *lim);

#endif
