/* The command line: one table of commands, one of options; parsing, help and completion walk both.
 */
#ifndef NH_CMD_OPTS_H
#define NH_CMD_OPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/vec.h"

struct nh_opts;

/* Which commands an option belongs to. */
enum nh_command_bit {
	NH_C_INSPECT = 1,
	NH_C_REPORT = 2,
	NH_C_DEMO = 4,
	NH_C_PREFLIGHT = 8,
	NH_C_CASE = NH_C_INSPECT | NH_C_REPORT, /* prints a verdict */
	NH_C_SHOW = NH_C_CASE | NH_C_PREFLIGHT, /* prints something in a format */
	NH_C_ALL = NH_C_SHOW | NH_C_DEMO,
};

struct nh_command {
	const char *name; /* "" = the one that needs no name; it comes first */
	unsigned bit;
	int least, most;     /* operands; most < 0 = any number */
	const char *operand; /* "PID", "PATH", "SCENE": what completion offers */
	const char *usage;   /* after the program's name */
	const char *summary;
	int (*run)(const struct nh_opts *o); /* returns the exit status */
};
/* Ends with name == NULL. */
extern const struct nh_command nh_commands[];

struct nh_option {
	const char *name;
	int key;	   /* the short letter, or a number above 255 where there is none */
	const char *arg;   /* name of its argument, NULL = takes none */
	unsigned commands; /* enum nh_command_bit; 0 = hidden, allowed everywhere */
	const char *words; /* the values it takes, separated by blanks; NULL = free */
	const char *help;
};
/* Ends with name == NULL. */
extern const struct nh_option nh_options[];

enum nh_format {
	NH_FMT_AUTO,
	NH_FMT_TEXT,
	NH_FMT_BRIEF,
	NH_FMT_JSON,
	NH_FMT_MARKDOWN,
	NH_FMT_DOT,
};

enum nh_action {
	NH_RUN,
	NH_HELP,
	NH_VERSION_ONLY,
	NH_COMPLETE,
};

enum nh_color {
	NH_COLOR_AUTO,
	NH_COLOR_ALWAYS,
	NH_COLOR_NEVER,
};

struct nh_opts {
	enum nh_action action;
	const struct nh_command *command;
	const char *shell;     /* of NH_COMPLETE */
	NH_VEC(int64_t) pids;  /* -p and operands, in that order */
	char *const *operands; /* the rest of argv, NULL-terminated; without the command's name */
	int noperands;
	enum nh_format format;	    /* of stdout; AUTO = -f was not given */
	enum nh_format file_format; /* of output */
	const char *output;	    /* -o, NULL = none */
	int64_t timeout_ms, interval_ms;
	enum nh_color color;
	const char *root;  /* NULL = the live host */
	const char *rerun; /* this command line, quoted for a shell */
	int64_t for_ms;	   /* demo; -1 = until it is ended */
	bool stripped, all, redact, verbose, tui, no_stop, consistent, ras, dump, debuginfod;
};

/*
 * Parses argv (which it permutes).  Strings point into argv, lists and rerun live in the arena.
 * 0, or -EINVAL with err saying what is wrong, without the "try --help".
 */
int nh_opts_parse(
	struct nh_arena *a, int argc, char **argv, struct nh_opts *ret, struct nh_err *err);

/* --help */
void nh_help(FILE *f);
/* The completion file for bash, zsh or fish. */
void nh_complete(FILE *f, const char *shell);

/* Finds the candidate that a mistyped word was most likely meant to be. */
struct nh_nearest {
	const char *word, *best; /* best: NULL while nothing is near */
	size_t distance;
};
void nh_nearest_try(struct nh_nearest *n, const char *candidate);
/* " (did you mean '…'?)", or "" where nothing is near. */
const char *nh_nearest_hint(struct nh_arena *a, const struct nh_nearest *n, const char *prefix);

#endif
