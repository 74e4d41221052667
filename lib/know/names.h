/*
 * Lists of function names.  Which names one may hold, by first letter and length: the tables are
 * asked about every frame of every stack, and nearly every frame is in none of them.
 */
#ifndef NH_KNOW_NAMES_H
#define NH_KNOW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct nh_names {
	uint64_t bits[16];
};

/* list: functions as in struct nh_thread_role_row; NULL adds nothing. */
void nh_names_add(struct nh_names *s, const char *list);
bool nh_names_may_have(const struct nh_names *s, const char *name);
/* Whether the word is one of those separated by blanks. */
bool nh_has_word(const char *words, const char *word);

#endif
