/* The macros field tables are written with, one row a line.  S is the struct that is described. */
/* clang-format off */
#ifndef NH_MODEL_TYPES_H
#define NH_MODEL_TYPES_H

#include "model/field.h"

#define ROW(kind, f, type, names, privacy) { #f, NH_F_##kind, offsetof(struct S, f), type, names, NH_P_##privacy }
#define F(kind, f) ROW(kind, f, NULL, NULL, OPEN)
#define P(kind, f, privacy) ROW(kind, f, NULL, NULL, privacy)
#define R(kind, f, t) ROW(kind, f, &(t), NULL, OPEN)
#define E(f, n) ROW(ENUM, f, NULL, n, OPEN)
#define TYPE(t, n, ...) \
	const struct nh_type t = { (n), sizeof(struct S), (const struct nh_field[]){ __VA_ARGS__, { 0 } } }

#endif
