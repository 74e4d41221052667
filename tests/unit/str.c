#include "tap.h"

#include <stdlib.h>
#include "base/str.h"

/* U+FFFD, what stands for a byte that is no UTF-8. */
#define BAD "\xef\xbf\xbd"

static void repair(struct nh_arena *a)
{
	is(nh_utf8_repair(a, "naïve", 6), "naïve");
	is(nh_utf8_repair(a, "\xff", 1), BAD);
	is(nh_utf8_repair(a, "a\xc3", 2), "a" BAD);
	is(nh_utf8_repair(a, "a\0b", 3), "a" BAD "b");
	/* Overlong '/', a surrogate, past the last code point, a lone continuation byte. */
	is(nh_utf8_repair(a, "\xc0\xaf", 2), BAD BAD);
	is(nh_utf8_repair(a, "\xed\xa0\x80", 3), BAD BAD BAD);
	is(nh_utf8_repair(a, "\xf4\x90\x80\x80", 4), BAD BAD BAD BAD);
	is(nh_utf8_repair(a, "\x80x", 2), BAD "x");
	/* A cut sequence must not swallow what follows. */
	is(nh_utf8_repair(a, "\xe2\x82(", 3), BAD BAD "(");
	is(nh_utf8_repair(a, "\xf4\x8f\xbf\xbf", 4), "\xf4\x8f\xbf\xbf");
	is(nh_utf8_repair(a, "abc", 0), "");
}

static void lengths(void)
{
	ok(nh_utf8_len("a", 1) == 1);
	ok(nh_utf8_len("é", 2) == 2);
	ok(nh_utf8_len("é", 1) == 0);
	ok(nh_utf8_len("€", 3) == 3);
	ok(nh_utf8_len("\xf0\x9f\x98\x80", 4) == 4);
	ok(nh_utf8_len("", 0) == 0);
	ok(nh_utf8_len("\0", 1) == 0);
}

static void escape(struct nh_arena *a)
{
	const char *plain = "plain, naïve €";

	ok(nh_escape(a, plain) == plain);
	is(nh_escape(a, "a\033[2Jb"), "a\\x1b[2Jb");
	is(nh_escape(a, "a\nb\tc\rd\177"), "a\\nb\\tc\\x0dd\\x7f");
	is(nh_escape(a, "\xc2\x9b"
			"31m"),
		"\\x9b31m");
	is(nh_escape(a, "\xe2\x80\xaegpj.exe"), "\\u202egpj.exe");
	is(nh_escape(a, "\xe2\x81\xa6x"), "\\u2066x");
	is(nh_escape(a, "\xff"), "\\xff");
	is(nh_escape(a, "\x01\x02\x03"), "\\x01\\x02\\x03");
}

static void quote(struct nh_arena *a)
{
	const char *plain = "/usr/bin/x-1.2_3@host:80";

	ok(nh_shell_quote(a, plain) == plain);
	is(nh_shell_quote(a, ""), "''");
	is(nh_shell_quote(a, "two words"), "'two words'");
	is(nh_shell_quote(a, "it's"), "'it'\\''s'");
	is(nh_shell_quote(a, "$(reboot)"), "'$(reboot)'");
	is(nh_shell_quote(a, "~root"), "'~root'");
	is(nh_shell_quote(a, "''''''''"), "''\\'''\\'''\\'''\\'''\\'''\\'''\\'''\\'''");
}

static void compare(void)
{
	ok(nh_starts_with("ncclhang", "nccl"));
	ok(!nh_starts_with("nc", "nccl"));
	ok(!nh_starts_with(NULL, "x"));
	ok(nh_ends_with("case.json.zst", ".zst"));
	ok(!nh_ends_with("zst", ".zst"));
	ok(!nh_ends_with(NULL, "x"));
	ok(nh_streq("a", "a"));
	ok(nh_streq(NULL, NULL));
	ok(!nh_streq("a", NULL));
	ok(!nh_streq(NULL, ""));
}

int main(void)
{
	struct nh_arena a = { 0 };

	repair(&a);
	lengths();
	escape(&a);
	quote(&a);
	compare();
	nh_arena_free(&a);
	return done();
}
