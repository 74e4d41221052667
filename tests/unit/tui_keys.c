/*
 * Key scripts: tests/tui/NAME.keys says which cases are looked at, which keys are pressed and when
 * the screen is photographed; tests/tui/NAME.golden has the pictures.  NH_REWRITE=1 makes them
 *anew.
 *
 *	case FILE...	a look at these stored cases, as when it was just collected
 *	size 80x24	of the terminal from now on
 *	ascii		no UTF-8
 *	live		a new look can be asked for
 *	busy WORDS	a look is being collected
 *	keys WORD...	a name of the table below, or the characters of the word
 *	shot TITLE
 */
#include "tap.h"

#include <glob.h>
#include <stdlib.h>
#include "analyse/analyse.h"
#include "base/str.h"
#include "case/intake.h"
#include "tui/tui.h"

static const struct {
	const char *name;
	int key;
} names[] = { { "up", NH_KEY_UP }, { "down", NH_KEY_DOWN }, { "left", NH_KEY_LEFT },
	{ "right", NH_KEY_RIGHT }, { "enter", NH_KEY_ENTER }, { "esc", NH_KEY_ESC },
	{ "tab", NH_KEY_TAB }, { "pgdn", NH_KEY_PAGE_DOWN }, { "pgup", NH_KEY_PAGE_UP },
	{ "home", NH_KEY_HOME }, { "end", NH_KEY_END }, { "backspace", NH_KEY_BACKSPACE } };

static const char *const wishes[] = { "", "quit", "refresh", "save", "copy" };

struct script {
	struct nh_arena a;
	struct nh_tui t;
	int rows, cols;
	bool ascii;
	FILE *out;
};

static void look(struct script *s, char *files)
{
	struct nh_intake *in = nh_intake_new(&s->a);
	struct nh_case **cases, *merged;
	struct nh_err err;
	char *save = NULL;
	size_t n;

	for (char *f = strtok_r(files, " ", &save); f; f = strtok_r(NULL, " ", &save)) {
		ok(!nh_intake_file(in, nh_arena_printf(&s->a, "tests/tui/%s", f), &err));
	}
	nh_intake_finish(in);
	n = nh_intake_count(in);
	cases = nh_new(&s->a, struct nh_case *, n);
	for (size_t i = 0; i < n; i++) {
		cases[i] = nh_intake_case(in, i);
		nh_analyse(cases[i]);
	}
	merged = nh_new(&s->a, struct nh_case, 1);
	nh_merge(cases, n, &s->a, merged);
	nh_tui_busy(&s->t, "");
	nh_tui_show(&s->t, nh_look_new(&s->a, merged, cases, n, s->t.look));
}

static void press(struct script *s, int key)
{
	enum nh_wish w = nh_tui_key(&s->t, key);

	if (w)
		fprintf(s->out, "== wish: %s\n", wishes[w]);
}

static void keys(struct script *s, char *words)
{
	char *save = NULL;

	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		int key = 0;

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strcmp(w, names[i].name))
				key = names[i].key;
		if (key)
			press(s, key);
		for (; !key && *w; w++)
			press(s, *w);
	}
}

/* The picture, and which row is selected: a text shows no reverse video. */
static void shot(struct script *s, const char *title)
{
	struct nh_arena a = { 0 };
	struct nh_grid g;
	int selected = -1;

	nh_grid_init(&a, s->rows, s->cols, s->ascii, &g);
	nh_tui_draw(&s->t, &g);
	for (int row = 1; row < g.rows - 1; row++)
		if (nh_cell_at(&g, row, 0)->style & NH_REVERSE)
			selected = row;
	fprintf(s->out, "== %s", title);
	if (selected > 0)
		fprintf(s->out, " (row %d selected)", selected);
	fputc('\n', s->out);
	nh_grid_print(s->out, &g);
	nh_arena_free(&a);
}

static void line(struct script *s, char *l)
{
	char *rest = strchr(l, ' ');

	if (rest)
		*rest++ = 0;
	if (!strcmp(l, "case"))
		look(s, rest);
	else if (!strcmp(l, "size"))
		ok(rest && sscanf(rest, "%dx%d", &s->cols, &s->rows) == 2);
	else if (!strcmp(l, "ascii"))
		s->ascii = true;
	else if (!strcmp(l, "live"))
		s->t.live = true;
	else if (!strcmp(l, "busy"))
		nh_tui_busy(&s->t, rest);
	else if (!strcmp(l, "keys"))
		keys(s, rest);
	else if (!strcmp(l, "shot"))
		shot(s, rest);
	else
		ok(!*l || *l == '#');
}

static char *play(const char *path)
{
	struct script s = { .rows = 24, .cols = 80 };
	FILE *f = fopen(path, "re");
	char *text = NULL, *l = NULL;
	size_t n = 0, cap = 0;
	ssize_t len;

	ok(f);
	s.out = open_memstream(&text, &n);
	nh_tui_init(&s.t, false);
	while (f && (len = getline(&l, &cap, f)) > 0) {
		l[strcspn(l, "\n")] = 0;
		line(&s, l);
	}
	if (f)
		fclose(f);
	fclose(s.out);
	free(l);
	nh_tui_free(&s.t);
	nh_arena_free(&s.a);
	return text;
}

static void compare(const char *path)
{
	char golden[200], *text = play(path), *want = NULL;
	size_t n = 0;
	FILE *f;

	snprintf(golden, sizeof(golden), "%.*s.golden", (int)strlen(path) - 5, path);
	if (getenv("NH_REWRITE")) {
		f = fopen(golden, "we");
		ok(f && fputs(text, f) >= 0 && !fclose(f));
		free(text);
		return;
	}
	f = fopen(golden, "re");
	ok(f && getdelim(&want, &n, 0, f) > 0);
	if (!ok(want && !strcmp(text, want)))
		printf("# %s:\n%s\n", path, text);
	if (f)
		fclose(f);
	free(want);
	free(text);
}

int main(void)
{
	glob_t g;

	ok(!glob("tests/tui/*.keys", 0, NULL, &g) && g.gl_pathc >= 4);
	for (size_t i = 0; i < g.gl_pathc; i++)
		compare(g.gl_pathv[i]);
	globfree(&g);
	return done();
}
