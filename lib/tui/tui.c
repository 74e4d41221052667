#include "tui/tui.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tui/move.h"

void nh_tui_init(struct nh_tui *t, bool live)
{
	t->live = live;
	t->stale = true;
	t->width = 80;
	t->page = 20;
}

void nh_tui_free(struct nh_tui *t)
{
	nh_arena_free(&t->arena);
}

void nh_tui_show(struct nh_tui *t, const struct nh_look *look)
{
	size_t n = look->merged->verdict.findings.n;

	t->look = look;
	t->stale = true;
	if (t->finding >= n)
		t->finding = 0;
	/* The rows of the look before are gone: what was open of them closes. */
	t->ntrail = 0;
	if (t->screen == NH_SCREEN_DETAIL)
		t->screen = t->below;
	if (look->changes)
		nh_tui_say(t, "%s", look->changes);
}

void nh_tui_say(struct nh_tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->said, sizeof(t->said), fmt, ap);
	va_end(ap);
}

void nh_tui_busy(struct nh_tui *t, const char *words)
{
	snprintf(t->busy, sizeof(t->busy), "%s", words);
	t->stale |= !t->look; /* the empty screens show it */
}

static void go(struct nh_tui *t, enum nh_screen_id screen)
{
	t->screen = screen;
	t->stale = true;
}

static void open_detail(struct nh_tui *t)
{
	const struct nh_line *line = nh_selected(t);

	if (!line)
		return;
	if (!line->ref.node.row) {
		nh_tui_say(t, "no more than this is known of it");
		return;
	}
	if (t->ntrail == NH_TRAIL) {
		memmove(t->trail, t->trail + 1, sizeof(t->trail) - sizeof(*t->trail));
		t->ntrail--;
	}
	if (t->screen != NH_SCREEN_DETAIL)
		t->below = t->screen;
	t->trail[t->ntrail++] = line->ref;
	t->at[NH_SCREEN_DETAIL].selected = t->at[NH_SCREEN_DETAIL].top = 0;
	go(t, NH_SCREEN_DETAIL);
}

static void back(struct nh_tui *t)
{
	if (t->screen == NH_SCREEN_DETAIL && t->ntrail > 1) {
		t->ntrail--;
		t->at[NH_SCREEN_DETAIL].selected = t->at[NH_SCREEN_DETAIL].top = 0;
		t->stale = true;
	} else if (t->screen >= NH_SCREEN_DETAIL) {
		t->ntrail = 0;
		go(t, t->below);
	} else if (*t->filter && t->screen == NH_SCREEN_THREADS) {
		*t->filter = 0;
		t->stale = true;
	}
}

static void type(struct nh_tui *t, int key)
{
	size_t n = strlen(t->filter);

	if (key == NH_KEY_ENTER) {
		t->typing = false;
	} else if (key == NH_KEY_ESC) {
		t->typing = false;
		*t->filter = 0;
	} else if (key == NH_KEY_BACKSPACE && n) {
		t->filter[n - 1] = 0;
	} else if (key >= ' ' && key < 127 && n + 1 < sizeof(t->filter)) {
		t->filter[n] = (char)key;
		t->filter[n + 1] = 0;
	}
	nh_rewind(t);
}

static void next_finding(struct nh_tui *t, int step)
{
	size_t n = t->look ? t->look->merged->verdict.findings.n : 0;

	if (t->screen != NH_SCREEN_VERDICT || n < 2)
		return;
	t->finding = (t->finding + n + (size_t)step) % n;
	nh_rewind(t);
}

/* Keys of the thread list; false for any other. */
static bool list_key(struct nh_tui *t, int key)
{
	if (t->screen != NH_SCREEN_THREADS)
		return false;
	switch (key) {
	case '/':
		t->typing = true;
		*t->filter = 0;
		break;
	case 'o':
		t->sort = (t->sort + 1) % NH_SORTS;
		break;
	case 'f':
		t->fold = !t->fold;
		break;
	case 'h':
		t->hide_idle = !t->hide_idle;
		break;
	default:
		return false;
	}
	nh_rewind(t);
	return true;
}

static enum nh_wish wish(struct nh_tui *t, int key)
{
	switch (key) {
	case 'q':
		return NH_WISH_QUIT;
	case 'y':
		return NH_WISH_COPY;
	case 's':
		if (t->look)
			return NH_WISH_SAVE;
		nh_tui_say(t, "nothing has been collected yet");
		return NH_WISH_NONE;
	case 'r':
		if (!t->live)
			nh_tui_say(t, "these are saved cases: there is nothing new to read");
		else if (*t->busy)
			nh_tui_say(t, "a look is being taken already");
		else
			return NH_WISH_REFRESH;
		return NH_WISH_NONE;
	default:
		return NH_WISH_NONE;
	}
}

static bool navigate(struct nh_tui *t, int key)
{
	switch (key) {
	case '1':
	case '2':
	case '3':
	case '4':
		t->ntrail = 0;
		go(t, (enum nh_screen_id)(key - '1'));
		return true;
	case NH_KEY_TAB:
		t->ntrail = 0;
		go(t, t->screen < NH_SCREEN_THREADS ? t->screen + 1 : NH_SCREEN_VERDICT);
		return true;
	case '?':
		if (t->screen < NH_SCREEN_DETAIL)
			t->below = t->screen;
		go(t, NH_SCREEN_HELP);
		return true;
	case NH_KEY_ENTER:
		open_detail(t);
		return true;
	case NH_KEY_ESC:
	case NH_KEY_BACKSPACE:
		back(t);
		return true;
	case NH_KEY_LEFT:
	case NH_KEY_RIGHT:
		if (t->screen >= NH_SCREEN_DETAIL && key == NH_KEY_LEFT)
			back(t);
		else
			next_finding(t, key == NH_KEY_LEFT ? -1 : 1);
		return true;
	default:
		return false;
	}
}

enum nh_wish nh_tui_key(struct nh_tui *t, int key)
{
	*t->said = 0;
	nh_fresh(t);
	if (key == NH_KEY_RESIZE) {
		t->stale = true;
	} else if (t->typing) {
		type(t, key);
	} else if (!nh_move(t, key) && !navigate(t, key) && !list_key(t, key)) {
		return wish(t, key);
	}
	return NH_WISH_NONE;
}
