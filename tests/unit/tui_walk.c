#include "tap.h"
#include "verdict.h"

#include <stdlib.h>
#include "tui/tui.h"

static char *draw(struct nh_tui *t)
{
	struct nh_arena a = { 0 };
	struct nh_grid g;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	nh_grid_init(&a, 24, 80, false, &g);
	nh_tui_draw(t, &g);
	nh_grid_print(f, &g);
	fclose(f);
	nh_arena_free(&a);
	return text;
}

static int shows(struct nh_tui *t, const char *what)
{
	char *text = draw(t);
	int good = strstr(text, what) != NULL;

	if (!good)
		printf("# no \"%s\" in\n%s", what, text);
	free(text);
	return good;
}

/* A chain whose nodes are words alone is walked all the same, and nothing in it reaches the
 * terminal as it came. */
static void test_words(struct nh_arena *a)
{
	struct nh_case *c = sample_case(a, true), *cases[] = { c };
	struct nh_tui t = { 0 };

	c->verdict.findings.v[0].chain.v[0].fact = "bad \033[2J\nfact";
	c->taken = "2026-11-29T\033[2J:1:1:1";
	nh_tui_init(&t, false);
	nh_tui_show(&t, nh_look_new(a, c, cases, 1, NULL));
	ok(shows(&t, "hang: nccl-teardown-held-socket (likely)"));
	ok(shows(&t, "data loader\\x1b[2J"));
	ok(shows(&t, "joins: bad \\x1b[2J\\nfact"));
	ok(!nh_tui_key(&t, NH_KEY_DOWN));
	ok(shows(&t, "polls: slot 0 of 65"));
	ok(!nh_tui_key(&t, NH_KEY_ENTER) && t.screen == NH_SCREEN_VERDICT);
	ok(shows(&t, "no more than this is known of it"));
	nh_tui_key(&t, NH_KEY_END);
	ok(shows(&t, "do: End the holder"));
	nh_tui_free(&t);
}

/* Findings are leafed through in both directions. */
static void test_findings(struct nh_arena *a)
{
	struct nh_case *c = sample_case(a, true), *cases[] = { c };
	struct nh_tui t = { 0 };

	sample_finding(c);
	c->verdict.findings.v[1].id = "lock-cycle";
	nh_tui_init(&t, false);
	nh_tui_show(&t, nh_look_new(a, c, cases, 1, NULL));
	ok(shows(&t, "finding 1 of 2"));
	nh_tui_key(&t, NH_KEY_LEFT);
	ok(shows(&t, "hang: lock-cycle (likely)   finding 2 of 2"));
	nh_tui_key(&t, NH_KEY_RIGHT);
	ok(shows(&t, "finding 1 of 2"));
	nh_tui_free(&t);
}

/* Any key at any time, on nothing and on something: none may do harm. */
static void test_any_key(struct nh_arena *a)
{
	static const int keys[] = { NH_KEY_UP, NH_KEY_DOWN, NH_KEY_LEFT, NH_KEY_RIGHT,
		NH_KEY_PAGE_UP, NH_KEY_PAGE_DOWN, NH_KEY_HOME, NH_KEY_END, NH_KEY_RESIZE,
		NH_KEY_ENTER, NH_KEY_ESC, NH_KEY_TAB, NH_KEY_BACKSPACE, '1', '2', '3', '4', '/',
		'o', 'f', 'h', 'r', 's', 'y', '?', 'x', ' ', 0x7fffffff, -1 };
	struct nh_case *c = sample_case(a, true), *cases[] = { c };
	struct nh_tui t = { 0 };
	uint32_t random = 1;

	nh_tui_init(&t, true);
	for (int i = 0; i < 3000; i++) {
		struct nh_arena frame = { 0 };
		struct nh_grid g;

		random = random * 1664525 + 1013904223;
		if (i == 1000)
			nh_tui_show(&t, nh_look_new(a, c, cases, 1, NULL));
		nh_tui_key(&t, keys[(random >> 16) % (sizeof(keys) / sizeof(*keys))]);
		nh_grid_init(
			&frame, (int)(random >> 8) % 40 & 63, (int)(random >> 20) % 120, false, &g);
		nh_tui_draw(&t, &g);
		nh_arena_free(&frame);
	}
	ok(t.at[t.screen].top <= t.lines.list.n);
	nh_tui_free(&t);
}

int main(void)
{
	struct nh_arena a = { 0 };

	test_words(&a);
	test_findings(&a);
	test_any_key(&a);
	nh_arena_free(&a);
	return done();
}
