#include "tap.h"

#include <stdlib.h>
#include "base/set.h"

enum { MANY = 20000 };

static void membership(struct nh_arena *a)
{
	struct nh_set s = { 0 };

	ok(!nh_set_has(&s, 7));
	ok(nh_set_add(a, &s, 7));
	ok(!nh_set_add(a, &s, 7));
	ok(nh_set_has(&s, 7));
	ok(!nh_set_has(&s, 8));
	ok(nh_set_add(a, &s, UINT64_MAX));
	ok(nh_set_has(&s, UINT64_MAX));
	ok(!nh_set_add(a, &s, 0));
	ok(!nh_set_has(&s, 0));
	ok(s.n == 2);
}

/* Inode numbers come in rows, hashes with only their high or low bits set: all must stay apart. */
static void growth(struct nh_arena *a, int shift)
{
	struct nh_set s = { 0 };
	int added = 0, there = 0, absent = 0;

	for (uint64_t i = 1; i <= MANY; i++)
		added += nh_set_add(a, &s, i << shift);
	for (uint64_t i = 1; i <= MANY; i++) {
		there += nh_set_has(&s, i << shift);
		absent += !nh_set_has(&s, (i + MANY) << shift);
	}
	ok(added == MANY && there == MANY && absent == MANY);
	ok(s.n == MANY && (s.cap & (s.cap - 1)) == 0 && s.n * 4 <= s.cap * 3);
}

static void hashes(struct nh_arena *a)
{
	struct nh_set s = { 0 };
	int apart = 0;

	for (uint64_t i = 0; i < MANY; i++)
		apart += nh_set_add(a, &s, nh_hash(&i, sizeof(i), 1));
	ok(apart == MANY);
	ok(nh_hash("ab", 2, 1) == nh_hash("ab", 2, 1));
	ok(nh_hash("ab", 2, 1) != nh_hash("ab", 2, 2));
	ok(nh_hash("ab", 2, 1) != nh_hash("ba", 2, 1));
	ok(nh_hash("ab", 2, 1) != nh_hash("ab", 3, 1));
	ok(nh_hash("", 0, 0) != 0);
	/* A chained hash must not forget the first field for a particular second one. */
	ok(nh_hash("a", 1, 'a') != nh_hash("b", 1, 'b'));
}

int main(void)
{
	struct nh_arena a = { 0 };

	membership(&a);
	growth(&a, 0);
	growth(&a, 12);
	growth(&a, 40);
	hashes(&a);
	nh_arena_free(&a);
	return done();
}
