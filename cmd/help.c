#include "opts.h"

#include <string.h>
#include "demo/demo.h"

#define HELP_WIDTH 80
#define HELP_COL 28

/* Words of text from column col on, continuation lines at the same column. */
static void flow(FILE *f, const char *text, size_t col)
{
	size_t at = col;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > col && at + 1 + n > HELP_WIDTH) {
			fprintf(f, "\n%*s", (int)col, "");
			at = col;
		}
		at += (size_t)fprintf(f, "%s%.*s", at > col ? " " : "", (int)n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', f);
}

static void option_row(FILE *f, const struct nh_option *o)
{
	char letter[] = "-x, ";
	int n;

	letter[1] = (char)o->key;
	n = fprintf(f, "  %4s--%s%s%s", o->key < 256 ? letter : "", o->name, o->arg ? " " : "",
		o->arg ? o->arg : "");
	fprintf(f, "%*s", n < HELP_COL ? HELP_COL - n : 1, "");
	flow(f, o->help, HELP_COL);
}

static void options(FILE *f, const char *head, unsigned in, unsigned not_in)
{
	fprintf(f, "\n%s:\n", head);
	for (const struct nh_option *o = nh_options; o->name; o++)
		if (o->commands & in && !(o->commands & not_in))
			option_row(f, o);
}

void nh_help(FILE *f)
{
	fputs("Usage:\n", f);
	for (const struct nh_command *c = nh_commands; c->name; c++)
		fprintf(f, "  ncclhang %s\n", c->usage);
	fputc('\n', f);
	flow(f,
		"Says which thread, process, rank or host a hung distributed training job is "
		"waiting for, why, and what proves it.",
		0);
	fputs("\nCommands:\n", f);
	for (const struct nh_command *c = nh_commands; c->name; c++) {
		fprintf(f, "  %-*s", HELP_COL - 2, *c->name ? c->name : "(none)");
		flow(f, c->summary, HELP_COL);
	}
	options(f, "Options", NH_C_SHOW, 0);
	options(f, "Options of demo", NH_C_DEMO, NH_C_CASE);
	fputs("\nScenes of demo:\n", f);
	for (const struct nh_demo_scene *s = nh_demo_scenes; s->name; s++) {
		fprintf(f, "  %-*s", HELP_COL - 2, s->name);
		flow(f, s->summary, HELP_COL);
	}
	fputc('\n', f);
	flow(f,
		"Blocked threads are read from /proc and by process_vm_readv, without attaching to "
		"them. Only a running thread, or one whose stack does not unwind that way, is "
		"stopped for the moment it takes to copy its stack (PTRACE_SEIZE, one thread at a "
		"time); the report lists which. --no-stop never attaches.",
		0);
	fputs("\nExit status: 0 nothing found, 1 a likely or confirmed finding, 2 inconclusive,\n"
	      "64 usage, 66 no such PID or file, 70 internal error, 74 output error.\n"
	      "See ncclhang(1).\n",
		f);
}
