#include "tui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* What the handlers need, which may call nothing but write and tcsetattr. */
static struct {
	volatile sig_atomic_t ended; /* the signal that asked us to */
	struct termios before;
	char restore[256];
	size_t nrestore;
	pid_t owner; /* a forked child that crashes has no terminal to restore */
	int in;
	FILE *tty; /* /dev/tty, or NULL where standard input is the terminal */
	SCREEN *screen;
	bool ascii, color;
} term = { .in = -1 };

static void on_end(int sig)
{
	term.ended = sig;
}

static void on_crash(int sig)
{
	if (getpid() == term.owner) {
		(void)!write(STDOUT_FILENO, term.restore, term.nrestore);
		tcsetattr(STDOUT_FILENO, TCSANOW, &term.before);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static int collect(int c)
{
	if (term.nrestore < sizeof(term.restore))
		term.restore[term.nrestore++] = (char)c;
	return c;
}

/* The bytes that undo what curses did, made before they are needed. */
static void prepare_restore(void)
{
	static const char *const undo[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	term.nrestore = 0;
	for (size_t i = 0; i < sizeof(undo) / sizeof(*undo); i++) {
		const char *s = tigetstr(undo[i]);

		/* -1 is what a name that is no string capability would give. */
		if (s && (intptr_t)s != -1)
			tputs(s, 1, collect);
	}
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(sig, &sa, NULL);
}

static void handle_signals(void)
{
	static const int ends[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		handle(ends[i], on_end);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		handle(crashes[i], on_crash);
}

static void colors(void)
{
	static const short fg[] = { [NH_TONE_BAD] = COLOR_RED,
		[NH_TONE_WARN] = COLOR_YELLOW,
		[NH_TONE_GOOD] = COLOR_GREEN };

	start_color();
	use_default_colors();
	for (size_t i = NH_TONE_BAD; i <= NH_TONE_GOOD; i++)
		init_pair((short)i, fg[i], -1);
	/* Eight colours have no grey; dim text does for them. */
	init_pair(NH_TONE_DIM, COLORS >= 256 ? 245 : -1, -1);
}

int nh_screen_open(bool color, struct nh_err *err)
{
	const char *name = getenv("TERM");

	term.tty = isatty(STDIN_FILENO) ? NULL : fopen("/dev/tty", "re");
	if (!term.tty && !isatty(STDIN_FILENO))
		return nh_fail(err, -errno, "no terminal to read keys from: %s", strerror(errno));
	term.in = term.tty ? fileno(term.tty) : STDIN_FILENO;
	if (tcgetattr(STDOUT_FILENO, &term.before))
		return nh_fail(err, -errno, "standard output is no terminal: %s", strerror(errno));
	term.screen = newterm(NULL, stdout, term.tty ? term.tty : stdin);
	if (!term.screen)
		return nh_fail(err, -ENOTTY,
			"the terminal type '%s' is not known here, or can do too little",
			name ? name : "");
	term.owner = getpid();
	term.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	term.color = color && has_colors();
	prepare_restore();
	handle_signals();
	if (term.color)
		colors();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return 0;
}

void nh_screen_close(void)
{
	endwin();
	delscreen(term.screen);
	if (term.tty)
		fclose(term.tty);
	term.tty = NULL;
	term.owner = 0;
}

void nh_screen_size(int *rows, int *cols, bool *ascii)
{
	getmaxyx(stdscr, *rows, *cols);
	*ascii = term.ascii;
}

static attr_t attributes(unsigned style)
{
	enum nh_tone t = NH_TONE_OF(style); /* term.h has a macro of the better name */
	attr_t a = (style & NH_BOLD ? A_BOLD : A_NORMAL) | (style & NH_REVERSE ? A_REVERSE : 0);

	if (term.color && t)
		a |= COLOR_PAIR(t);
	if (t == NH_TONE_DIM && (!term.color || COLORS < 256))
		a |= A_DIM;
	if (!term.color && t == NH_TONE_BAD)
		a |= A_BOLD;
	return a;
}

void nh_screen_show(const struct nh_grid *g)
{
	erase();
	for (int row = 0; row < g->rows; row++)
		for (int col = 0; col < g->cols; col++) {
			const struct nh_cell *c = nh_cell_at(g, row, col);

			/* The last cell of the last row would scroll some terminals. */
			if (!*c->text || (row == g->rows - 1 && col == g->cols - 1))
				continue;
			attrset(attributes(c->style));
			mvaddstr(row, col, c->text);
		}
	refresh();
}

int nh_screen_key(void)
{
	static const struct {
		int curses, key;
	} keys[] = { { ERR, NH_KEY_NONE }, { KEY_UP, NH_KEY_UP }, { KEY_DOWN, NH_KEY_DOWN },
		{ KEY_LEFT, NH_KEY_LEFT }, { KEY_RIGHT, NH_KEY_RIGHT },
		{ KEY_PPAGE, NH_KEY_PAGE_UP }, { KEY_NPAGE, NH_KEY_PAGE_DOWN },
		{ KEY_HOME, NH_KEY_HOME }, { KEY_END, NH_KEY_END }, { KEY_RESIZE, NH_KEY_RESIZE },
		{ KEY_ENTER, NH_KEY_ENTER }, { '\r', NH_KEY_ENTER },
		{ KEY_BACKSPACE, NH_KEY_BACKSPACE }, { '\b', NH_KEY_BACKSPACE } };
	int c = getch();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (c == keys[i].curses)
			return keys[i].key;
	return c;
}

int nh_screen_fd(void)
{
	return term.in;
}

int nh_screen_signal(void)
{
	return term.ended;
}
