/* The parser alone, with a command table of its own: cmd/ is no library. */
#include "../../cmd/opts.c"
#include "../../cmd/nearest.c"
#include "tap.h"

const struct nh_command nh_commands[] = {
	{ "", NH_C_INSPECT, 0, -1, "PID", "[PID...]", "inspect", NULL },
	{ "report", NH_C_REPORT, 1, -1, "PATH", "report PATH...", "report", NULL },
	{ "demo", NH_C_DEMO, 0, 1, "SCENE", "demo [SCENE]", "demo", NULL },
	{ 0 },
};

#define ARGS_MAX 16

/* Parses a line of words separated by blanks. */
static int parse(struct nh_arena *a, const char *line, struct nh_opts *o, struct nh_err *err)
{
	char **argv = nh_new(a, char *, ARGS_MAX), *save = NULL;
	int argc = 0;

	argv[argc++] = nh_arena_strdup(a, "ncclhang");
	for (char *w = strtok_r(nh_arena_strdup(a, line), " ", &save); w && argc < ARGS_MAX - 1;
		w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	return nh_opts_parse(a, argc, argv, o, err);
}

static void test_errors(struct nh_arena *a)
{
	static const struct {
		const char *line, *message;
	} rows[] = {
		{ "--foo", "unknown option '--foo'" },
		{ "--fromat json", "unknown option '--fromat' (did you mean '--format'?)" },
		{ "--fromat=json", "unknown option '--fromat' (did you mean '--format'?)" },
		{ "-x", "unknown option '-x'" },
		{ "-ax", "unknown option '-x'" },
		{ "--fo", "option '--fo' is ambiguous" },
		{ "--redact=yes", "option '--redact' takes no argument" },
		{ "-t", "option '--timeout' needs a value" },
		{ "--format", "option '--format' needs a value" },
		{ "-f jsn",
			"--format: 'jsn' is none of text brief json markdown dot (did you mean 'json'?)" },
		{ "-f xml", "--format: 'xml' is none of text brief json markdown dot" },
		{ "--color blue", "--color: 'blue' is none of auto always never" },
		{ "-t abc", "--timeout: 'abc' is no number of seconds" },
		{ "-t nan", "--timeout: 'nan' is no number of seconds" },
		{ "-t 0x10", "--timeout: '0x10' is no number of seconds" },
		{ "-t 1.2.3", "--timeout: '1.2.3' is no number of seconds" },
		{ "-t .", "--timeout: '.' is no number of seconds" },
		{ "-t 1e3", "--timeout: '1e3' is no number of seconds" },
		{ "--interval -1", "--interval: '-1' is no number of seconds" },
		{ "-t 9999999", "--timeout: '9999999' is more than a million seconds" },
		{ "--interval 10", "--interval (10 s) must be shorter than --timeout (10 s)" },
		{ "-t 0.5", "--interval (1 s) must be shorter than --timeout (0.5 s)" },
		{ "reprot", "'reprot' is neither a PID nor a command (did you mean 'report'?)" },
		{ "47 11x", "'11x' is neither a PID nor a command" },
		{ "0", "'0' is neither a PID nor a command" },
		{ "-p -3", "'-3' is neither a PID nor a command" },
		{ "99999999999999999999", "'99999999999999999999' is neither a PID nor a command" },
		{ "report", "report needs a PATH" },
		{ "demo a b", "demo: 'b' is one SCENE too many" },
		{ "--for 3", "option '--for' cannot be used when inspecting" },
		{ "report x -p 1", "option '--pid' cannot be used with report" },
		{ "-i -f text", "--tui and --format exclude each other" },
		{ "demo --tui", "option '--tui' cannot be used with demo" },
		{ "demo -f json", "option '--format' cannot be used with demo" },
		{ "-o a.json -o b.json", "--output may be given once" },
		{ "-o -", "--output needs the name of a file" },
		{ "-o .json",
			"--output: no format known for '.json': end it in .txt, .json, "
			".jsonl, .md or .dot, with .gz or .zst to compress, or give --format" },
		{ "-o x.gz",
			"--output: no format known for 'x.gz': end it in .txt, .json, "
			".jsonl, .md or .dot, with .gz or .zst to compress, or give --format" },
		{ "--complete csh", "--complete: 'csh' is none of bash zsh fish" },
	};
	struct nh_opts o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nh_err err = { "" };

		ok(parse(a, rows[i].line, &o, &err) == -EINVAL);
		is(err.msg, rows[i].message);
	}
}

static void test_outputs(struct nh_arena *a)
{
	static const struct {
		const char *line;
		enum nh_format format, file_format;
	} rows[] = {
		{ "", NH_FMT_AUTO, NH_FMT_AUTO },
		{ "-f brief", NH_FMT_BRIEF, NH_FMT_BRIEF },
		{ "-o a.txt", NH_FMT_AUTO, NH_FMT_TEXT },
		{ "-o a.json", NH_FMT_AUTO, NH_FMT_JSON },
		{ "-o a.jsonl", NH_FMT_AUTO, NH_FMT_JSON },
		{ "-o a.json.gz", NH_FMT_AUTO, NH_FMT_JSON },
		{ "-o d/a.txt.zst", NH_FMT_AUTO, NH_FMT_TEXT },
		{ "-o a.md", NH_FMT_AUTO, NH_FMT_MARKDOWN },
		{ "-o a.dot.gz", NH_FMT_AUTO, NH_FMT_DOT },
		{ "-f markdown", NH_FMT_MARKDOWN, NH_FMT_MARKDOWN },
		{ "-o anything -f json", NH_FMT_JSON, NH_FMT_JSON },
		{ "-o a.txt -f json", NH_FMT_JSON, NH_FMT_JSON },
		{ "-f text -f json", NH_FMT_JSON, NH_FMT_JSON },
	};
	struct nh_err err;
	struct nh_opts o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ok(parse(a, rows[i].line, &o, &err) == 0);
		ok(o.format == rows[i].format && o.file_format == rows[i].file_format);
	}
}

static void test_values(struct nh_arena *a)
{
	struct nh_err err;
	struct nh_opts o;

	ok(!parse(a, "", &o, &err) && o.command == nh_commands && !o.pids.n && !o.noperands);
	ok(o.timeout_ms == 10000 && o.interval_ms == 1000 && o.for_ms == -1 && !o.root);
	ok(!parse(a, "-p 12 --pid=13 14 -av --redact --no-stop 15", &o, &err));
	ok(o.pids.n == 4 && o.pids.v[0] == 12 && o.pids.v[1] == 13 && o.pids.v[3] == 15);
	ok(o.all && o.verbose && o.redact && !o.stripped);
	is(o.rerun, "ncclhang -p 12 --pid=13 14 -av --redact --no-stop 15");
	ok(!parse(a, "-t 2.5 --interval 0 --color never --root /x", &o, &err));
	ok(o.timeout_ms == 2500 && o.interval_ms == 0 && o.color == NH_COLOR_NEVER);
	is(o.root, "/x");
	ok(!parse(a, "-f json report a - b", &o, &err) && o.command == nh_commands + 1);
	ok(o.noperands == 3 && !o.operands[3]);
	is(o.operands[1], "-");
	ok(!parse(a, "demo --for 3 --strip healthy", &o, &err) && o.stripped && o.for_ms == 3000);
	is(o.operands[0], "healthy");
}

static void test_actions(struct nh_arena *a)
{
	struct nh_err err;
	struct nh_opts o;

	ok(!parse(a, "report -h", &o, &err) && o.action == NH_HELP);
	ok(!parse(a, "demo --version extra args", &o, &err) && o.action == NH_VERSION_ONLY);
	ok(!parse(a, "--complete zsh", &o, &err) && o.action == NH_COMPLETE);
	is(o.shell, "zsh");
	ok(parse(a, "--foo --help", &o, &err) == -EINVAL);
}

static void test_quoting(struct nh_arena *a)
{
	char name[] = "./build/ncclhang", root[] = "--root", dir[] = "/a dir", word[] = "it's";
	char *argv[] = { name, root, dir, word, NULL };
	struct nh_err err;
	struct nh_opts o;

	ok(nh_opts_parse(a, 4, argv, &o, &err) == -EINVAL);
	is(o.rerun, "./build/ncclhang --root '/a dir' 'it'\\''s'");
}

int main(void)
{
	struct nh_arena a = { 0 };

	test_errors(&a);
	test_outputs(&a);
	test_values(&a);
	test_actions(&a);
	test_quoting(&a);
	nh_arena_free(&a);
	return done();
}
