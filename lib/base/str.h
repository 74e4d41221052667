/* Foreign bytes: made valid UTF-8 when they come in, made harmless when they go out. */
#ifndef NH_BASE_STR_H
#define NH_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

/* A NUL-terminated copy of the n bytes at s with every invalid sequence (overlong forms,
 * surrogates and NULs included) replaced by U+FFFD.  For names, command lines, paths: whatever
 * some process chose. */
const char *nh_utf8_repair(struct nh_arena *a, const char *s, size_t n);
/* Length in bytes of the valid UTF-8 sequence at s (n bytes readable), 0 if there is none. */
size_t nh_utf8_len(const char *s, size_t n);
/* A copy with control characters (C0, DEL, C1) and bidirectional overrides written as \n, \t,
 * \x1b, \u202e …: safe on a terminal.  s is valid UTF-8. */
const char *nh_escape(struct nh_arena *a, const char *s);
/* s as one shell word: unchanged if it needs no quotes, else in single quotes. */
const char *nh_shell_quote(struct nh_arena *a, const char *s);
bool nh_starts_with(const char *s, const char *prefix);
bool nh_ends_with(const char *s, const char *suffix);
/* Equal, NULL being equal only to NULL. */
bool nh_streq(const char *a, const char *b);

#endif
