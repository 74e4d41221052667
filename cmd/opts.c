#include "opts.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"

/* Keys of options without a letter. */
enum {
	OPT_INTERVAL = 256,
	OPT_NO_STOP,
	OPT_CONSISTENT,
	OPT_RAS,
	OPT_DUMP,
	OPT_DEBUGINFOD,
	OPT_COLOR,
	OPT_ROOT,
	OPT_REDACT,
	OPT_FOR,
	OPT_STRIPPED,
	OPT_COMPLETE,
};

const struct nh_option nh_options[] = {
	{ "pid", 'p', "PID", NH_C_INSPECT, NULL,
		"inspect this process and its descendants (repeatable)" },
	{ "format", 'f', "FORMAT", NH_C_SHOW, "text brief json markdown dot",
		"text, brief, json, markdown or dot" },
	{ "output", 'o', "FILE", NH_C_SHOW, NULL,
		"write FILE too; .txt .json .jsonl .md .dot (+ .gz .zst) tell its format; with "
		"-f, only FILE is written" },
	{ "tui", 'i', NULL, NH_C_CASE, NULL,
		"look around in it on the terminal; ? shows the keys" },
	{ "timeout", 't', "SECONDS", NH_C_INSPECT, NULL, "time for one inspection (default 10)" },
	{ "interval", OPT_INTERVAL, "SECONDS", NH_C_INSPECT, NULL,
		"between the two samples (default 1; 0 = one sample)" },
	{ "no-stop", OPT_NO_STOP, NULL, NH_C_INSPECT, NULL,
		"never stop a thread, not even a running one for the moment its stack takes" },
	{ "consistent", OPT_CONSISTENT, NULL, NH_C_INSPECT, NULL,
		"stop all threads of a process at one instant to copy their stacks" },
	{ "dump", OPT_DUMP, NULL, NH_C_INSPECT, NULL,
		"ask the flight recorder of PyTorch for a dump, by its FIFO or worker server, and "
		"wait for it" },
	{ "debuginfod", OPT_DEBUGINFOD, NULL, NH_C_INSPECT, NULL,
		"ask the servers of DEBUGINFOD_URLS for missing debug files" },
	{ "ras", OPT_RAS, NULL, NH_C_INSPECT, NULL,
		"ask the RAS service of NCCL, which queries the whole job; not while a job of "
		"NCCL 2.24 to 2.26 starts" },
	{ "all", 'a', NULL, NH_C_CASE, NULL, "every process and thread, nothing shortened" },
	{ "color", OPT_COLOR, "WHEN", NH_C_SHOW, "auto always never",
		"auto, always or never (auto honours NO_COLOR)" },
	{ "root", OPT_ROOT, "DIR", NH_C_INSPECT, NULL,
		"a recorded /proc tree instead of this host" },
	{ "redact", OPT_REDACT, NULL, NH_C_CASE, NULL,
		"replace host names, addresses, arguments and paths" },
	{ "for", OPT_FOR, "SECONDS", NH_C_DEMO, NULL, "end the scene after that time" },
	{ "stripped", OPT_STRIPPED, NULL, NH_C_DEMO, NULL, "run the scene without symbols" },
	{ "verbose", 'v', NULL, NH_C_CASE, NULL,
		"more detail; brief adds pids, ranks, descriptors" },
	{ "help", 'h', NULL, NH_C_ALL, NULL, "show this help" },
	{ "version", 'V', NULL, NH_C_ALL, NULL, "show the version" },
	{ "complete", OPT_COMPLETE, "SHELL", 0, "bash zsh fish", NULL },
	{ 0 },
};
#define NOPTIONS (sizeof(nh_options) / sizeof(*nh_options) - 1)

static const struct nh_option *find_option(int key)
{
	for (const struct nh_option *o = nh_options; o->name; o++)
		if (o->key == key)
			return o;
	return NULL;
}

static const struct nh_command *find_command(const char *name)
{
	for (const struct nh_command *c = nh_commands; c->name; c++)
		if (*c->name && !strcmp(c->name, name))
			return c;
	return NULL;
}

/* Seconds, fractions allowed, as milliseconds. */
static int parse_seconds(const struct nh_option *o, const char *s, int64_t *ret, struct nh_err *err)
{
	char *end;
	double sec = strtod(s, &end);

	/* strtod alone would take "nan", "0x10" and "-1". */
	if (!*s || *end || s[strspn(s, "0123456789.")])
		return nh_fail(err, -EINVAL, "--%s: '%s' is no number of seconds", o->name, s);
	if (sec > 1e6)
		return nh_fail(
			err, -EINVAL, "--%s: '%s' is more than a million seconds", o->name, s);
	*ret = (int64_t)(sec * 1000 + 0.5);
	return 0;
}

static int parse_pid(struct nh_arena *a, const char *s, struct nh_opts *ret, struct nh_err *err)
{
	struct nh_nearest near = { .word = s };
	char *end;
	long pid;

	errno = 0;
	pid = strtol(s, &end, 10);
	if (*s && !s[strspn(s, "0123456789")] && !*end && !errno && pid > 0 && pid <= INT32_MAX) {
		*nh_push(a, &ret->pids) = pid;
		return 0;
	}
	for (const struct nh_command *c = nh_commands; c->name; c++)
		nh_nearest_try(&near, c->name);
	return nh_fail(err, -EINVAL, "'%s' is neither a PID nor a command%s", s,
		nh_nearest_hint(a, &near, ""));
}

/* The position of a value among the option's words. */
static int parse_word(
	struct nh_arena *a, const struct nh_option *o, const char *s, int *ret, struct nh_err *err)
{
	struct nh_nearest near = { .word = s };
	char *words = nh_arena_strdup(a, o->words), *save = NULL;
	int i = 0;

	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save), i++) {
		if (!strcmp(w, s)) {
			*ret = i;
			return 0;
		}
		nh_nearest_try(&near, w);
	}
	return nh_fail(err, -EINVAL, "--%s: '%s' is none of %s%s", o->name, s, o->words,
		nh_nearest_hint(a, &near, ""));
}

/* What -o FILE holds is told by its name. */
static int format_of_file(const char *path, enum nh_format *ret, struct nh_err *err)
{
	static const struct {
		const char *suffix;
		enum nh_format format;
	} suffixes[] = { { ".txt", NH_FMT_TEXT }, { ".json", NH_FMT_JSON },
		{ ".jsonl", NH_FMT_JSON }, { ".md", NH_FMT_MARKDOWN }, { ".dot", NH_FMT_DOT } };
	static const char *const packed[] = { "", ".gz", ".zst" };
	size_t n = strlen(path);

	for (size_t p = 0; p < 3; p++)
		for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
			size_t len = strlen(suffixes[i].suffix), tail = strlen(packed[p]);

			if (n > len + tail && nh_ends_with(path, packed[p]) &&
				!strncmp(path + n - tail - len, suffixes[i].suffix, len)) {
				*ret = suffixes[i].format;
				return 0;
			}
		}
	return nh_fail(err, -EINVAL,
		"--output: no format known for '%s': end it in .txt, .json, .jsonl, .md or "
		".dot, with .gz or .zst to compress, or give --format",
		path);
}

static int set_output(struct nh_opts *ret, const char *path, struct nh_err *err)
{
	if (ret->output)
		return nh_fail(err, -EINVAL, "--output may be given once");
	if (!*path || !strcmp(path, "-"))
		return nh_fail(err, -EINVAL, "--output needs the name of a file");
	ret->output = path;
	return 0;
}

/* The switch that an option without argument turns on; NULL for any other option. */
static bool *switch_of(struct nh_opts *o, int key)
{
	switch (key) {
	case 'a':
		return &o->all;
	case 'i':
		return &o->tui;
	case OPT_REDACT:
		return &o->redact;
	case OPT_STRIPPED:
		return &o->stripped;
	case OPT_NO_STOP:
		return &o->no_stop;
	case OPT_CONSISTENT:
		return &o->consistent;
	case OPT_RAS:
		return &o->ras;
	case OPT_DUMP:
		return &o->dump;
	case OPT_DEBUGINFOD:
		return &o->debuginfod;
	case 'v':
		return &o->verbose;
	default:
		return NULL;
	}
}

static int set_option(struct nh_arena *a, const struct nh_option *o, char *arg, struct nh_opts *ret,
	struct nh_err *err)
{
	bool *on = switch_of(ret, o->key);
	int i = 0, r = 0;

	if (on) {
		*on = true;
		return 0;
	}
	switch (o->key) {
	case 'p':
		return parse_pid(a, arg, ret, err);
	case 'f':
		r = parse_word(a, o, arg, &i, err);
		ret->format = (enum nh_format)(NH_FMT_TEXT + i);
		return r;
	case 'o':
		return set_output(ret, arg, err);
	case 't':
		return parse_seconds(o, arg, &ret->timeout_ms, err);
	case OPT_INTERVAL:
		return parse_seconds(o, arg, &ret->interval_ms, err);
	case OPT_COLOR:
		r = parse_word(a, o, arg, &i, err);
		ret->color = (enum nh_color)i;
		return r;
	case OPT_ROOT:
		ret->root = arg;
		return 0;
	case OPT_FOR:
		return parse_seconds(o, arg, &ret->for_ms, err);
	case 'h':
		ret->action = NH_HELP;
		return 0;
	case 'V':
		ret->action = NH_VERSION_ONLY;
		return 0;
	default:
		ret->action = NH_COMPLETE;
		ret->shell = arg;
		return parse_word(a, o, arg, &i, err);
	}
}

/* getopt said '?': say better what is wrong.  typed is the word it stopped at. */
static int explain(struct nh_arena *a, const char *typed, struct nh_err *err)
{
	const struct nh_option *o = optopt ? find_option(optopt) : NULL;
	struct nh_nearest near = { 0 };
	int matches = 0;
	char *name;

	if (o)
		return nh_fail(err, -EINVAL, "option '--%s' takes no argument", o->name);
	if (optopt)
		return nh_fail(err, -EINVAL, "unknown option '-%c'", optopt);
	name = nh_arena_strndup(a, typed + 2, strcspn(typed + 2, "="));
	near.word = name;
	for (o = nh_options; o->name; o++) {
		matches += nh_starts_with(o->name, name);
		if (o->commands)
			nh_nearest_try(&near, o->name);
	}
	if (matches > 1)
		return nh_fail(err, -EINVAL, "option '--%s' is ambiguous", name);
	return nh_fail(
		err, -EINVAL, "unknown option '--%s'%s", name, nh_nearest_hint(a, &near, "--"));
}

/* The options as getopt_long wants them. */
static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (const struct nh_option *o = nh_options; o->name; o++) {
		*longs++ = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL,
			o->key };
		if (o->key > 255)
			continue;
		*shorts++ = (char)o->key;
		if (o->arg)
			*shorts++ = ':';
	}
}

/* Reads options until the end or --help and the like; marks in seen, by row, which there were. */
static int read_options(struct nh_arena *a, int argc, char **argv, bool *seen, struct nh_opts *ret,
	struct nh_err *err)
{
	struct option longs[NOPTIONS + 1] = { 0 };
	char shorts[2 * NOPTIONS + 2] = { 0 };
	int key, r = 0;

	getopt_tables(longs, shorts);
	opterr = 0;
	optind = 0; /* 0, not 1: glibc starts afresh */
	while (ret->action == NH_RUN && !r &&
		(key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct nh_option *o = find_option(key);

		if (key == ':')
			return nh_fail(err, -EINVAL, "option '--%s' needs a value",
				find_option(optopt)->name);
		if (!o)
			return explain(a, argv[optind - 1], err);
		seen[o - nh_options] = true;
		r = set_option(a, o, optarg, ret, err);
	}
	return r;
}

/* The command is the first operand, if that is the name of one. */
static int read_operands(
	struct nh_arena *a, int argc, char **argv, struct nh_opts *ret, struct nh_err *err)
{
	const struct nh_command *c = optind < argc ? find_command(argv[optind]) : NULL;
	int r = 0;

	optind += c != NULL;
	ret->command = c ? c : nh_commands;
	ret->operands = argv + optind;
	ret->noperands = argc - optind;
	c = ret->command;
	if (ret->noperands < c->least)
		return nh_fail(err, -EINVAL, "%s needs a %s", c->name, c->operand);
	if (c->most >= 0 && ret->noperands > c->most)
		return nh_fail(err, -EINVAL, "%s: '%s' is one %s too many", c->name,
			ret->operands[c->most], c->operand);
	for (int i = 0; c->bit == NH_C_INSPECT && i < ret->noperands && !r; i++)
		r = parse_pid(a, ret->operands[i], ret, err);
	return r;
}

/* What the options must be together. */
static int check(const bool *seen, struct nh_opts *ret, struct nh_err *err)
{
	const struct nh_command *c = ret->command;

	for (size_t i = 0; i < NOPTIONS; i++)
		if (seen[i] && nh_options[i].commands && !(nh_options[i].commands & c->bit))
			return nh_fail(err, -EINVAL, "option '--%s' cannot be used %s%s",
				nh_options[i].name, *c->name ? "with " : "when inspecting",
				c->name);
	if (ret->interval_ms >= ret->timeout_ms)
		return nh_fail(err, -EINVAL,
			"--interval (%g s) must be shorter than --timeout (%g s)",
			(double)ret->interval_ms / 1000, (double)ret->timeout_ms / 1000);
	if (ret->tui && ret->format != NH_FMT_AUTO)
		return nh_fail(err, -EINVAL, "--tui and --format exclude each other");
	ret->file_format = ret->format;
	if (ret->output && ret->format == NH_FMT_AUTO)
		return format_of_file(ret->output, &ret->file_format, err);
	return 0;
}

static const char *quoted(struct nh_arena *a, int argc, char **argv)
{
	const char *s = "ncclhang";

	for (int i = 0; i < argc; i++)
		s = i ? nh_arena_printf(a, "%s %s", s, nh_shell_quote(a, argv[i]))
		      : nh_shell_quote(a, argv[i]);
	return s;
}

int nh_opts_parse(
	struct nh_arena *a, int argc, char **argv, struct nh_opts *ret, struct nh_err *err)
{
	bool seen[NOPTIONS] = { 0 };
	int r;

	*ret = (struct nh_opts){
		.command = nh_commands, .timeout_ms = 10000, .interval_ms = 1000, .for_ms = -1
	};
	ret->rerun = quoted(a, argc, argv);
	r = read_options(a, argc, argv, seen, ret, err);
	if (r < 0 || ret->action != NH_RUN)
		return r;
	r = read_operands(a, argc, argv, ret, err);
	return r < 0 ? r : check(seen, ret, err);
}
