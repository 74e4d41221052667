#include "tui/move.h"
#include "tui/screens.h"

static bool selectable(const struct nh_tui *t, size_t i)
{
	return t->lines.list.v[i].walk || t->lines.list.v[i].ref.node.row;
}

const struct nh_line *nh_selected(const struct nh_tui *t)
{
	size_t i = t->at[t->screen].selected;

	return i < t->lines.list.n && selectable(t, i) ? &t->lines.list.v[i] : NULL;
}

void nh_rewind(struct nh_tui *t)
{
	t->at[t->screen].selected = t->at[t->screen].top = 0;
	t->stale = true;
}

static size_t last_top(const struct nh_tui *t)
{
	return t->lines.list.n > t->page ? t->lines.list.n - t->page : 0;
}

/* The selected line comes into sight; with the first one, what stands above it. */
static void into_sight(struct nh_tui *t)
{
	size_t sel = t->at[t->screen].selected, *top = &t->at[t->screen].top, first = 0;

	while (first < sel && !selectable(t, first))
		first++;
	if (first == sel && sel < t->page)
		*top = 0;
	else if (sel < *top)
		*top = sel;
	else if (t->page && sel >= *top + t->page)
		*top = sel - t->page + 1;
}

/* The nearest line that can be selected; the lines' number where none can. */
static size_t nearest(const struct nh_tui *t, size_t from)
{
	size_t n = t->lines.list.n;

	for (size_t i = from; i < n; i++)
		if (selectable(t, i))
			return i;
	for (size_t i = from < n ? from : n; i-- > 0;)
		if (selectable(t, i))
			return i;
	return n;
}

static void settle(struct nh_tui *t)
{
	size_t *sel = &t->at[t->screen].selected;

	*sel = nearest(t, *sel);
	if (*sel < t->lines.list.n)
		into_sight(t);
	if (t->at[t->screen].top > last_top(t))
		t->at[t->screen].top = last_top(t);
}

void nh_fit(struct nh_tui *t, size_t width, size_t page)
{
	if (width == t->width && page == t->page)
		return;
	t->stale |= width != t->width;
	t->width = width;
	t->page = page;
	if (!t->stale)
		settle(t);
}

void nh_fresh(struct nh_tui *t)
{
	if (!t->stale)
		return;
	nh_arena_free(&t->arena);
	t->lines = (struct nh_lines){ .a = &t->arena, .width = t->width };
	nh_screens[t->screen]->build(t, &t->lines);
	t->stale = false;
	settle(t);
}

/* By so many lines that can be selected; where none is near, the text scrolls. */
static void move(struct nh_tui *t, size_t by, bool down)
{
	size_t n = t->lines.list.n, *sel = &t->at[t->screen].selected;
	size_t *top = &t->at[t->screen].top, i = *sel, found = n, left = by;
	size_t reach = by == 1 ? 1 : t->page;

	while (left && (down ? i + 1 < n : i > 0)) {
		i += down ? 1 : (size_t)-1;
		if (down ? i + 1 > *top + t->page + reach : i + reach < *top)
			break;
		if (selectable(t, i)) {
			found = i;
			left--;
		}
	}
	if (found < n) {
		*sel = found;
		into_sight(t);
	} else if (down) {
		*top = *top + by < last_top(t) ? *top + by : last_top(t);
	} else {
		*top = *top > by ? *top - by : 0;
	}
}

bool nh_move(struct nh_tui *t, int key)
{
	size_t page = t->page > 2 ? t->page - 1 : 1;

	switch (key) {
	case NH_KEY_UP:
	case 'k':
		move(t, 1, false);
		return true;
	case NH_KEY_DOWN:
	case 'j':
		move(t, 1, true);
		return true;
	case NH_KEY_PAGE_UP:
		move(t, page, false);
		return true;
	case NH_KEY_PAGE_DOWN:
	case ' ':
		move(t, page, true);
		return true;
	case NH_KEY_HOME:
	case 'g':
		t->at[t->screen].selected = nearest(t, 0);
		t->at[t->screen].top = 0;
		return true;
	case NH_KEY_END:
	case 'G':
		t->at[t->screen].selected = nearest(t, t->lines.list.n);
		t->at[t->screen].top = last_top(t);
		return true;
	default:
		return false;
	}
}
