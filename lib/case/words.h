/* Redaction of single values: each private word has one replacement in the whole case. */
#ifndef NH_CASE_WORDS_H
#define NH_CASE_WORDS_H

#include "base/vec.h"
#include "case/map.h"

struct nh_word {
	const char *from, *to;
};
struct nh_words {
	struct nh_arena *a;
	struct nh_map map;	     /* word → replacement; itself where it is open elsewhere */
	NH_VEC(struct nh_word) list; /* those with another replacement */
	size_t tokens, v4, v6;	     /* given out so far */
};

/* The word is open somewhere in the case and therefore stays, also as a part of a path. */
void nh_words_keep(struct nh_words *w, const char *s);
/* Its replacement NAME-N, the same one each time. */
const char *nh_words_secret(struct nh_words *w, const char *name, const char *s);
const char *nh_words_path(struct nh_words *w, const char *s);
const char *nh_words_command(struct nh_words *w, const char *s);
const char *nh_words_env(struct nh_words *w, const char *s);
const char *nh_words_address(struct nh_words *w, const char *s);
/* Orders the words for nh_words_prose. */
void nh_words_sort(struct nh_words *w);
/* s with every word of the list that stands alone in it replaced. */
const char *nh_words_prose(struct nh_words *w, const char *s);

#endif
