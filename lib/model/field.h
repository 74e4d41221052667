/*
 * Field tables: one row per field of a case.  The JSON writer, the JSON reader, the initial
 * "unknown" of a fresh row and the redaction all walk these, so they cannot drift apart.
 */
#ifndef NH_MODEL_FIELD_H
#define NH_MODEL_FIELD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

/* An integer that was not read.  Not written to JSON; what JSON lacks reads back as this. */
#define NH_UNKNOWN INT64_MIN

enum nh_field_kind {
	NH_F_INT,   /* int64_t; NH_UNKNOWN = absent */
	NH_F_HEX,   /* uint64_t address, "0x…" in JSON; 0 = absent */
	NH_F_STR,   /* const char *, valid UTF-8; NULL = absent */
	NH_F_BOOL,  /* bool; false = absent */
	NH_F_ENUM,  /* int, index into names[]; 0 = absent */
	NH_F_INTS,  /* NH_VEC(int64_t); empty = absent, as for every list */
	NH_F_HEXES, /* NH_VEC(uint64_t) */
	NH_F_STRS,  /* NH_VEC(const char *) */
	NH_F_ROWS,  /* NH_VEC(struct …), described by type */
	NH_F_ROW,   /* struct … *, described by type; NULL = absent */
};

/* What --redact does with a field. */
enum nh_field_privacy {
	NH_P_OPEN,    /* kept */
	NH_P_PATH,    /* user-chosen names are replaced, the last component's suffix and well-known
		       * system prefixes stay */
	NH_P_SECRET,  /* replaced whole by a stable token */
	NH_P_COMMAND, /* a command line: the program's base name stays, arguments go */
	NH_P_ENV,     /* NAME=value: the name stays, and the value if it is a number */
	NH_P_ADDRESS, /* of a socket: the IP address or the path is replaced, the port stays */
	NH_P_PROSE,   /* a sentence of ours: names found elsewhere in the case are replaced in it */
};

struct nh_type;
struct nh_field {
	const char *name;
	enum nh_field_kind kind;
	size_t offset;
	const struct nh_type *type; /* NH_F_ROWS, NH_F_ROW */
	const char *const *names;   /* NH_F_ENUM: names[0] unused, NULL-terminated */
	enum nh_field_privacy privacy;
};

struct nh_type {
	const char *name;
	size_t size;
	const struct nh_field *fields; /* ends with name == NULL */
};

/* Sets every integer of a zeroed row to NH_UNKNOWN (lists and strings start empty). */
void nh_row_init(const struct nh_type *type, void *row);
/* A new row at the end of vec with everything unknown. */
void *nh_row_push(struct nh_arena *a, const struct nh_type *type, struct nh_vec *vec)
	__attribute__((returns_nonnull));

#endif
