/* The neutral document: what a report says, without how it looks. */
#ifndef NH_REPORT_DOC_H
#define NH_REPORT_DOC_H

#include <stdbool.h>
#include <stdio.h>
#include "base/vec.h"
#include "report/report.h"

enum nh_block_kind {
	NH_B_TITLE,   /* the verdict; text */
	NH_B_HEADING, /* text */
	NH_B_PARA,    /* text */
	NH_B_ITEM,    /* of a list; text */
	NH_B_STEP,    /* of a numbered list; term = number, text */
	NH_B_DEF,     /* term, text; neighbours are aligned */
	NH_B_NODE,    /* of a path; text */
	NH_B_ARROW,   /* between nodes; term = kind of edge, text = the fact; dotted = inferred */
	NH_B_COMMAND, /* text: to be copied, so never wrapped or shortened */
	NH_B_LINE,    /* text: kept on one line, its middle lost where it is too long */
	NH_B_TABLE, /* rows, the first being the head; the last column takes the rest of the line */
};

enum nh_tone {
	NH_TONE_PLAIN,
	NH_TONE_BAD,
	NH_TONE_WARN,
	NH_TONE_GOOD,
	NH_TONE_DIM,
};

#define NH_COLS_MAX 8

struct nh_row {
	const char *cells[NH_COLS_MAX]; /* never NULL up to the table's ncols */
	enum nh_tone tone;
};

struct nh_block {
	enum nh_block_kind kind;
	enum nh_tone tone;
	bool dotted;
	bool detail;		 /* NH_B_HEADING: begins what a format may fold away */
	const char *term, *text; /* escaped: safe on a terminal; "" where there is none */
	/* NH_B_TABLE */
	size_t ncols;
	unsigned right; /* bit i: column i is a number and stands to the right */
	NH_VEC(struct nh_row) rows;
};

struct nh_doc {
	struct nh_arena *arena;
	NH_VEC(struct nh_block) blocks;
};

/* Each appends one block.  Strings are escaped, and must live as long as the document. */
void nh_doc_add(struct nh_doc *d, enum nh_block_kind kind, const char *text);
struct nh_block *nh_doc_pair(
	struct nh_doc *d, enum nh_block_kind kind, const char *term, const char *text);
void nh_doc_printf(struct nh_doc *d, enum nh_block_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void nh_doc_def(struct nh_doc *d, const char *term, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A heading of a detail. */
void nh_doc_detail(struct nh_doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* heads: the columns' titles, NULL-terminated, at most NH_COLS_MAX. */
struct nh_block *nh_doc_table(struct nh_doc *d, unsigned right, const char *const *heads);
/* A row with every cell "". */
struct nh_row *nh_doc_row(struct nh_doc *d, struct nh_block *table);
/* A cell's text, escaped. */
const char *nh_doc_cell(struct nh_doc *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Lays it out for a terminal or a ticket. */
void nh_doc_text(FILE *f, const struct nh_doc *d, const struct nh_report_opts *opts);
/* The same for a forge: GitHub's Markdown, a path as a mermaid diagram, details folded, at most
 * 60,000 bytes unless opts->all. */
void nh_doc_markdown(FILE *f, const struct nh_doc *d, const struct nh_report_opts *opts);

#endif
