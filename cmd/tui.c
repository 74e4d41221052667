#include "tui.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "analyse/analyse.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "take.h"
#include "tui/screen.h"
#include "tui/tui.h"

enum { TICK_BUSY_MS = 100, TICK_MS = 1000 };

struct session {
	const struct nh_opts *o;
	const struct nh_collect_opts *copts; /* NULL: saved cases */
	struct nh_tui tui;
	struct nh_take take;
	struct nh_cases cases;	/* what is shown; n == 0 before the first look */
	struct nh_arena *arena; /* of a live look; NULL: not ours */
	struct nh_arena frame;	/* of the grid that was drawn last */
	struct nh_grid grid;
	bool quit;
	int status; /* set where the first look failed */
	struct nh_err err;
};

/* Host and time of the case as a part of a file's name. */
static const char *case_name(struct nh_arena *a, const struct nh_cases *v)
{
	const char *host = v->n > 1 ? nh_arena_printf(a, "%zu-hosts", v->n) : v->merged->host;
	char *name = nh_arena_printf(a, "ncclhang-%s-%.19s", host ? host : "case",
		v->merged->taken ? v->merged->taken : "");

	for (char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(".-", *s))
			*s = '-';
	return name;
}

static void save(struct session *s)
{
	struct nh_opts o = *s->o;
	struct nh_output *out;
	struct nh_err err;
	int r;

	o.output = nh_arena_printf(&s->frame, "%s.json.zst", case_name(&s->frame, &s->cases));
	o.file_format = NH_FMT_JSON;
	r = nh_output_open(o.output, &out, &err);
	if (r >= 0)
		r = nh_emit_write(&o, &s->cases, out, &err);
	if (r < 0)
		nh_tui_say(&s->tui, "%s", err.msg);
	else
		nh_tui_say(&s->tui, "saved: %s", o.output);
}

static const char *free_name(struct nh_arena *a)
{
	for (int i = 1;; i++) {
		const char *name = nh_arena_printf(a, "ncclhang-screen-%d.txt", i);

		if (access(name, F_OK))
			return name;
	}
}

static int write_screen(const struct nh_grid *g, const char *name, struct nh_err *err)
{
	nh_auto_free char *text = NULL;
	struct nh_output *out = NULL;
	struct nh_sink sink;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int r;

	if (!f)
		return nh_fail(err, -errno, "%s: %s", name, strerror(errno));
	nh_grid_print(f, g);
	fclose(f);
	r = nh_output_open(name, &out, err);
	if (r < 0)
		return r;
	sink = nh_output_sink(out);
	sink.write(sink.ctx, text, n); /* commit tells of its failure */
	return nh_output_commit(out, err);
}

static void copy(struct session *s)
{
	const char *name = free_name(&s->frame);
	struct nh_err err;

	if (write_screen(&s->grid, name, &err) < 0)
		nh_tui_say(&s->tui, "%s", err.msg);
	else
		nh_tui_say(&s->tui, "written: %s", name);
}

static void start(struct session *s)
{
	int r = nh_take_start(&s->take, s->copts);

	if (r < 0)
		nh_tui_say(&s->tui, "cannot start a collection: %s", strerror(-r));
}

/* A new look replaces the one before, which it was compared with. */
static void show(struct session *s, struct nh_arena *arena, struct nh_case *c)
{
	struct nh_case **list = nh_new(arena, struct nh_case *, 1);

	*list = c;
	s->cases = nh_judge(s->o, list, 1);
	nh_tui_show(&s->tui,
		nh_look_new(arena, s->cases.merged, s->cases.cases, s->cases.n, s->tui.look));
	if (s->arena) {
		nh_arena_free(s->arena);
		free(s->arena);
	}
	s->arena = arena;
}

static void follow(struct session *s)
{
	struct nh_case *c = NULL;
	char words[80];
	int status = 0;

	if (!nh_take_follow(&s->take, &c, &status, &s->err)) {
		snprintf(words, sizeof(words), "collecting: %.1f s of at most %.3g s",
			(double)(nh_now_ms() - s->take.began_ms) / 1000,
			(double)s->copts->timeout_ms / 1000);
		nh_tui_busy(&s->tui, words);
		return;
	}
	nh_tui_busy(&s->tui, "");
	if (c) {
		show(s, s->take.arena, c);
	} else if (s->tui.look) {
		nh_tui_say(&s->tui, "no new look: %s", s->err.msg);
	} else {
		s->status = status;
		s->quit = true;
	}
	s->take.arena = NULL;
}

static void draw(struct session *s)
{
	int rows, cols;
	bool ascii;

	nh_arena_free(&s->frame);
	nh_screen_size(&rows, &cols, &ascii);
	nh_grid_init(&s->frame, rows, cols, ascii, &s->grid);
	nh_tui_draw(&s->tui, &s->grid);
	nh_screen_show(&s->grid);
}

static void keys(struct session *s)
{
	int key;

	while (!s->quit && (key = nh_screen_key()) != NH_KEY_NONE) {
		switch (nh_tui_key(&s->tui, key)) {
		case NH_WISH_QUIT:
			s->quit = true;
			break;
		case NH_WISH_REFRESH:
			start(s);
			break;
		case NH_WISH_SAVE:
			save(s);
			break;
		case NH_WISH_COPY:
			copy(s);
			break;
		case NH_WISH_NONE:
			break;
		}
	}
}

static void loop(struct session *s)
{
	while (!s->quit && !nh_screen_signal()) {
		struct pollfd p[] = { { .fd = nh_screen_fd(), .events = POLLIN },
			{ .fd = s->take.fd, .events = POLLIN } };

		draw(s);
		poll(p, 2, s->take.pid ? TICK_BUSY_MS : TICK_MS);
		if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			s->quit = true; /* the terminal is gone */
		keys(s);
		if (s->take.pid)
			follow(s);
	}
}

/* What is left when the screen is gone: -o FILE, a word on the standard error, the status. */
static int finish(struct session *s, struct nh_output *out)
{
	int status = s->cases.n ? nh_verdict_exit(&s->cases.merged->verdict) : 2;
	int sig = nh_screen_signal();

	if (s->status) {
		nh_warn("%s", s->err.msg);
		status = s->status;
	}
	if (out && s->cases.n && nh_emit_file(s->o, &s->cases, out))
		status = EX_IOERR;
	else if (out && !s->cases.n)
		nh_output_abort(out);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}

static int run(struct session *s, struct nh_output *out)
{
	struct nh_err err;
	int status;

	setlocale(LC_CTYPE, "");
	if (nh_screen_open(nh_color_wanted(s->o), &err) < 0) {
		nh_warn("--tui: %s", err.msg);
		nh_output_abort(out);
		return EX_USAGE;
	}
	if (s->copts)
		start(s);
	loop(s);
	nh_screen_close();
	nh_take_end(&s->take);
	status = finish(s, out);
	nh_tui_free(&s->tui);
	nh_arena_free(&s->frame);
	if (s->arena) {
		nh_arena_free(s->arena);
		free(s->arena);
	}
	return status;
}

int nh_tui_live(const struct nh_opts *o, const struct nh_collect_opts *copts, struct nh_output *out)
{
	struct session s = { .o = o, .copts = copts, .take.fd = -1 };

	nh_tui_init(&s.tui, true);
	return run(&s, out);
}

int nh_tui_saved(
	const struct nh_opts *o, struct nh_case *const *cases, size_t n, struct nh_output *out)
{
	struct session s = { .o = o, .take.fd = -1, .cases = nh_judge(o, cases, n) };

	nh_tui_init(&s.tui, false);
	nh_tui_show(&s.tui, nh_look_new(cases[0]->arena, s.cases.merged, cases, n, NULL));
	return run(&s, out);
}
