#include "tap.h"

#include <stdlib.h>
#include "base/arena.h"
#include "tui/grid.h"

static const char *row(struct nh_arena *a, const struct nh_grid *g, int r)
{
	char *text = NULL, *l;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	nh_grid_print(f, g);
	fclose(f);
	l = text;
	while (r--)
		l = strchr(l, '\n') + 1;
	l = nh_arena_strndup(a, l, strcspn(l, "\n"));
	free(text);
	return l;
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_grid g, plain;

	nh_grid_init(&a, 6, 10, false, &g);
	ok(nh_grid_put(&g, 0, 2, NH_BOLD, "abc") == 5);
	is(row(&a, &g, 0), "  abc");
	ok(nh_cell_at(&g, 0, 2)->style == NH_BOLD && !nh_cell_at(&g, 0, 1)->style);
	ok(nh_grid_put(&g, 1, 7, 0, "abcdef") == 10);
	is(row(&a, &g, 1), "       abc");

	/* Two cells each; the last one would stand half outside. */
	ok(nh_grid_put(&g, 2, 1, 0, "漢字漢字漢") == 9);
	is(row(&a, &g, 2), " 漢字漢字");
	/* A mark belongs to the character before it, and to none at the edge. */
	ok(nh_grid_put(&g, 3, 0, 0, "e\xcc\x81x\xe5\xad\x97\xcc\x82") == 4);
	is(row(&a, &g, 3), "e\xcc\x81x\xe5\xad\x97\xcc\x82");
	nh_grid_put(&g, 4, 0, 0, "\xcc\x81");
	is(row(&a, &g, 4), "");
	for (int i = 0; i < 20; i++)
		nh_grid_put(&g, 4, 1, 0, "\xcc\x81");
	ok(strlen(nh_cell_at(&g, 4, 0)->text) < sizeof(g.cells->text));

	/* Outside. */
	nh_grid_put(&g, -1, 0, 0, "x");
	nh_grid_put(&g, 6, 0, 0, "x");
	nh_grid_put(&g, 5, 10, 0, "x");
	nh_grid_fill(&g, 6, 0, NH_BOLD);
	nh_grid_fill(&g, 5, 8, NH_REVERSE);
	ok(nh_cell_at(&g, 5, 9)->style == NH_REVERSE && !nh_cell_at(&g, 5, 7)->style);
	is(row(&a, &g, 5), "");

	nh_grid_init(&a, 2, 10, true, &plain);
	ok(nh_grid_put(&plain, 0, 0, 0, "│●◆…é漢e\xcc\x81") == 8);
	is(row(&a, &plain, 0), "|o*~???e");
	nh_grid_init(&a, 0, 0, false, &plain);
	ok(nh_grid_put(&plain, 0, 0, 0, "x") == 0);
	nh_arena_free(&a);
	return done();
}
