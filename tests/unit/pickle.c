/* The restricted pickle reader: plain data, refusals, bounds. */
#include "tap.h"
#include <stdlib.h>
#include "evidence/pickle.h"

static struct nh_tree tree;
static struct nh_err err;

/* Reads a heap copy of exactly n bytes, so that a sanitizer sees what is read past them. */
static int load(const char *s, size_t n)
{
	char *copy = malloc(n + !n);
	int rc;

	memcpy(copy, s, n);
	rc = nh_pickle_read(copy, n, &tree, &err);
	free(copy);
	return rc;
}
#define LOAD(s) load(s, sizeof(s) - 1)
#define FAILS(s, what) ok(LOAD(s) < 0 && strstr(err.msg, what))

static const struct nh_value *item(const struct nh_value *v, size_t i)
{
	size_t n;
	const struct nh_value *items = nh_tree_items(&tree, v, &n);

	return i < n ? &items[i] : NULL;
}

static int64_t integer(const struct nh_value *v)
{
	return v && v->kind == NH_V_INT ? v->i : -999;
}

static void scalars(void)
{
	ok(!LOAD("\x80\x02K\x07.") && tree.root.i == 7);
	ok(!LOAD("\x80\x02M\x01\x02.") && tree.root.i == 0x201);
	ok(!LOAD("\x80\x02J\xff\xff\xff\xff.") && tree.root.i == -1);
	ok(!LOAD("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.") && tree.root.i == INT64_MIN);
	ok(!LOAD("\x80\x02\x8a\x00.") && tree.root.i == 0);
	ok(!LOAD("\x80\x02\x8a\x01\xfe.") && tree.root.i == -2);
	ok(!LOAD("\x80\x04\x8b\x02\x00\x00\x00\x00\x01.") && tree.root.i == 256);
	ok(!LOAD("\x80\x02G\x40\x3e\x00\x00\x00\x00\x00\x00.") && tree.root.d == 30.0);
	ok(!LOAD("\x80\x02N.") && tree.root.kind == NH_V_NONE);
	ok(!LOAD("\x80\x02\x88.") && tree.root.kind == NH_V_BOOL && tree.root.i == 1);
	ok(!LOAD("\x80\x02\x89.") && tree.root.kind == NH_V_BOOL && tree.root.i == 0);
}

static void containers(void)
{
	ok(!LOAD("\x80\x02](K\x01K\x02"
		 "e.") &&
		integer(item(&tree.root, 1)) == 2 && !item(&tree.root, 2));
	ok(!LOAD("\x80\x02](e.") && tree.root.kind == NH_V_LIST && !item(&tree.root, 0));
	ok(!LOAD("\x80\x04]\x94K\x01"
		 "aK\x02"
		 "aK\x03"
		 "a.") &&
		integer(item(&tree.root, 2)) == 3);
	ok(!LOAD("\x80\x02}(K\x01K\x02u.") && tree.root.kind == NH_V_DICT &&
		integer(item(&tree.root, 1)) == 2);
	ok(!LOAD("\x80\x02}K\x01K\x02s.") && integer(item(&tree.root, 0)) == 1);
	ok(!LOAD("\x80\x02K\x01K\x02\x86.") && integer(item(&tree.root, 1)) == 2);
	ok(!LOAD("\x80\x02(K\x01K\x02K\x03t.") && integer(item(&tree.root, 2)) == 3);
	ok(!LOAD("\x80\x02).") && tree.root.kind == NH_V_LIST);
	/* Two lists filled in turn: one moves, neither loses anything. */
	ok(!LOAD("\x80\x02]q\x00K\x01"
		 "a](K\x02K\x03"
		 "eh\x00K\x04"
		 "aK\x05"
		 "a\x87.") ||
		strstr(err.msg, "too few"));
	/* A list within itself is no reason to loop. */
	ok(!LOAD("\x80\x02]q\x00h\x00"
		 "a.") &&
		item(&tree.root, 0)->node == tree.root.node);
}

static void memo(void)
{
	ok(!LOAD("\x80\x02](X\x02\x00\x00\x00hiq\x05h\x05"
		 "e.") &&
		item(&tree.root, 1)->n == 2);
	ok(!LOAD("\x80\x04](\x8c\x02hi\x94h\x00"
		 "e.") &&
		item(&tree.root, 1)->n == 2);
	FAILS("\x80\x02h\x00.", "an empty memo slot");
	FAILS("\x80\x02K\x01r\xff\xff\xff\x7f.",
		"LONG_BINPUT at byte 4: a memo slot out of bounds");
	FAILS("\x80\x02q\x00.", "nothing to memoise");
}

static void refusals(void)
{
	FAILS("\x80\x02"
	      "cos\nsystem\n.",
		"refused: opcode GLOBAL at byte 2");
	FAILS("\x80\x04\x8c\x02os\x8c\x06system\x93.", "opcode STACK_GLOBAL at byte 14");
	FAILS("\x80\x02K\x01)R.", "opcode REDUCE at byte 5");
	FAILS("\x80\x02}}b.", "opcode BUILD at byte 4");
	FAILS("\x80\x02(ios\nsystem\n.", "opcode INST at byte 3");
	FAILS("\x80\x02(o.", "opcode OBJ at byte 3");
	FAILS("\x80\x02K\x01)\x81.", "opcode NEWOBJ at byte 5");
	FAILS("\x80\x04\x92.", "opcode NEWOBJ_EX at byte 2");
	FAILS("\x80\x02Q.", "opcode BINPERSID");
	FAILS("\x80\x02\x82\x01.", "opcode EXT1");
	FAILS("\x80\x02K\x01\xff.", "opcode 0xff at byte 4");
}

static void bounds(void)
{
	static char deep[600], wide[3000];
	const char head[] = "\x80\x02](K\x01X\x03\x00\x00\x00"
			    "abcq\x00h\x00}(K\x01K\x02uG........e.";

	memcpy(deep, "\x80\x02", 2);
	memset(deep + 2, '(', sizeof(deep) - 2);
	ok(load(deep, sizeof(deep)) < 0 && strstr(err.msg, "nested too deep"));
	memcpy(wide, "\x80\x02", 2);
	memset(wide + 2, ']', sizeof(wide) - 2);
	ok(load(wide, sizeof(wide)) < 0 && strstr(err.msg, "cut short"));
	for (size_t n = 0; n < sizeof(head) - 1; n++)
		if (load(head, n) == 0)
			ok(!"a prefix was taken for a whole");
	ok(!LOAD("\x80\x02](K\x01X\x03\x00\x00\x00"
		 "abcq\x00h\x00}(K\x01K\x02uG........e."));
	FAILS("\x80\x02X\xff\xff\xff\xff"
	      "abc.",
		"ends in the middle");
	FAILS("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
	      "abc.",
		"ends in the middle");
	FAILS("\x80\x02\x8a\x09"
	      "123456789.",
		"more than 64 bits");
	FAILS("\x80\x02K\x01K\x02.", "unfinished values");
	FAILS("\x80\x02"
	      "e.",
		"no MARK");
	FAILS("\x80\x02(K\x01"
	      "e.",
		"too few");
	FAILS("\x80\x02}(K\x01u.", "does not fit");
	FAILS("\x80\x02K\x01(K\x02"
	      "e.",
		"does not fit");
	FAILS("\x80\x02\x87.", "too few");
	FAILS("not a pickle", "not a pickle");
	FAILS("", "not a pickle");
}

int main(void)
{
	scalars();
	containers();
	memo();
	refusals();
	bounds();
	nh_tree_free(&tree);
	return done();
}
