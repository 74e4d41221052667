#include "opts.h"

#include <string.h>
#include "demo/demo.h"

/* How each shell offers values for an argument, told by the argument's name. */
static const struct completer {
	const char *arg, *bash, *zsh, *fish;
} completers[] = {
	{ "FILE", "-f", "_files", " -r -F" },
	{ "PATH", "-f", "_files", " -F" },
	{ "DIR", "-d", "_files -/", " -x -a '(__fish_complete_directories)'" },
	{ "PID", "-W \"$(cd /proc && echo [0-9]*)\"", "_pids", " -x -a '(__fish_complete_pids)'" },
	{ 0 },
};

static const struct completer *find_completer(const char *arg)
{
	const struct completer *c = completers;

	while (c->arg && strcmp(c->arg, arg) != 0)
		c++;
	return c->arg ? c : NULL;
}

/* The fixed values of an option or of the demo's operand, separated by blanks. */
static void put_words(FILE *f, const char *words)
{
	if (words) {
		fputs(words, f);
		return;
	}
	for (const struct nh_demo_scene *s = nh_demo_scenes; s->name; s++)
		fprintf(f, "%s%s", s == nh_demo_scenes ? "" : " ", s->name);
}

/* The names of the commands in mask. */
static void put_commands(FILE *f, const char *between, unsigned mask)
{
	const char *sep = "";

	for (const struct nh_command *c = nh_commands; c->name; c++)
		if (*c->name && c->bit & mask) {
			fprintf(f, "%s%s", sep, c->name);
			sep = between;
		}
}

static void bash_offer(FILE *f, const char *arg, const char *words)
{
	const struct completer *c = find_completer(arg);

	fputs("\t\t_ncclhang_offer ", f);
	if (c) {
		fputs(c->bash, f);
	} else {
		fputs("-W '", f);
		put_words(f, words);
		fputc('\'', f);
	}
	fputc('\n', f);
}

static void bash_option_values(FILE *f)
{
	for (const struct nh_option *o = nh_options; o->name; o++) {
		if (!o->arg || !o->commands)
			continue;
		fputc('\t', f);
		if (o->key < 256)
			fprintf(f, "-%c | ", o->key);
		fprintf(f, "--%s)\n", o->name);
		if (o->words || find_completer(o->arg))
			bash_offer(f, o->arg, o->words);
		fputs("\t\treturn\n\t\t;;\n", f);
	}
}

static void bash_operands(FILE *f, const struct nh_command *c)
{
	fprintf(f, "\t%s)\n\t\toptions='", *c->name ? c->name : "*");
	for (const struct nh_option *o = nh_options; o->name; o++)
		if (o->commands & c->bit)
			fprintf(f, o->key < 256 ? "-%2$c --%1$s " : "--%1$s ", o->name, o->key);
	fputs("'\n", f);
	if (!*c->name) {
		fputs("\t\t_ncclhang_offer -W \"", f);
		put_commands(f, " ", NH_C_ALL);
		fputs(" $(cd /proc && echo [0-9]*)\"\n", f);
	} else {
		bash_offer(f, c->operand, NULL);
	}
	fputs("\t\t;;\n", f);
}

static void bash(FILE *f)
{
	fputs("# bash completion for ncclhang, generated: ncclhang --complete bash\n"
	      "_ncclhang_offer() {\n"
	      "\tcase $1 in -f | -d) compopt -o filenames 2>/dev/null ;; esac\n"
	      "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	      "}\n"
	      "_ncclhang() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal command='' options='' word\n"
	      "\tCOMPREPLY=()\n"
	      "\t# --option=value comes as three words\n"
	      "\t[[ $cur == = ]] && cur=''\n"
	      "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	      "\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
	      "\t\tcase $word in ",
		f);
	put_commands(f, " | ", NH_C_ALL);
	fputs(") command=$word && break ;; esac\n"
	      "\tdone\n"
	      "\tcase $prev in\n",
		f);
	bash_option_values(f);
	fputs("\tesac\n"
	      "\tcase $command in\n",
		f);
	for (const struct nh_command *c = nh_commands + 1; c->name; c++)
		bash_operands(f, c);
	bash_operands(f, nh_commands);
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then _ncclhang_offer -W \"$options\"; fi\n"
	      "}\n"
	      "complete -F _ncclhang ncclhang\n",
		f);
}

/* Text within zsh's '…[…]:' */
static void zsh_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("[]:\\", *s))
			fputc('\\', f);
		fputs(*s == '\'' ? "'\\''" : (char[]){ *s, 0 }, f);
	}
}

static void zsh_values(FILE *f, const char *arg, const char *words, bool fixed)
{
	const struct completer *c = find_completer(arg);

	fprintf(f, ":%s:", arg);
	if (c)
		fputs(c->zsh, f);
	if (c || !fixed)
		return;
	fputc('(', f);
	put_words(f, words);
	fputc(')', f);
}

static void zsh_option(FILE *f, const struct nh_option *o)
{
	/* In '' so that the shell leaves [ and ( alone; the braces stay outside. */
	if (o->key < 256)
		fprintf(f, "\t\t'(-%c --%s)'{-%c,--%s%s}'[", o->key, o->name, o->key, o->name,
			o->arg ? "=" : "");
	else
		fprintf(f, "\t\t'--%s%s[", o->name, o->arg ? "=" : "");
	zsh_text(f, o->help);
	fputc(']', f);
	if (o->arg)
		zsh_values(f, o->arg, o->words, o->words != NULL);
	fputs("' \\\n", f);
}

static void zsh_command(FILE *f, const struct nh_command *c)
{
	fprintf(f, "%s)\n\t_arguments -s : \\\n", *c->name ? c->name : "*");
	for (const struct nh_option *o = nh_options; o->name; o++)
		if (o->commands & c->bit)
			zsh_option(f, o);
	if (*c->name) {
		fprintf(f, "\t\t'1: :(%s)' '*", c->name);
		zsh_values(f, c->operand, NULL, true);
		fputs("'\n\t;;\n", f);
		return;
	}
	fputs("\t\t'1: :_ncclhang_first' '*:PID:_pids'\n\t;;\n", f);
}

static void zsh(FILE *f)
{
	fputs("#compdef ncclhang\n"
	      "# zsh completion for ncclhang, generated: ncclhang --complete zsh\n"
	      "_ncclhang_first() {\n"
	      "\t_alternative 'commands:command:((",
		f);
	for (const struct nh_command *c = nh_commands + 1; c->name; c++) {
		fprintf(f, "%s%s\\:\"", c == nh_commands + 1 ? "" : " ", c->name);
		zsh_text(f, c->summary);
		fputc('"', f);
	}
	fputs("))' 'processes:PID:_pids'\n"
	      "}\n"
	      "case ${words[(r)(",
		f);
	put_commands(f, "|", NH_C_ALL);
	fputs(")]} in\n", f);
	for (const struct nh_command *c = nh_commands + 1; c->name; c++)
		zsh_command(f, c);
	zsh_command(f, nh_commands);
	fputs("esac\n", f);
}

static void fish_line(FILE *f, unsigned mask)
{
	fputs("complete -c ncclhang", f);
	if ((mask & NH_C_ALL) == NH_C_ALL)
		return;
	/* The command without a name is there as long as no other one is. */
	fprintf(f, " -n '%s__fish_seen_subcommand_from ", mask & NH_C_INSPECT ? "not " : "");
	put_commands(f, " ", mask & NH_C_INSPECT ? ~mask : mask);
	fputc('\'', f);
}

static void fish_values(FILE *f, const char *arg, const char *words, bool fixed)
{
	const struct completer *c = find_completer(arg);

	if (c) {
		fputs(c->fish, f);
	} else if (fixed) {
		fputs(" -x -a '", f);
		put_words(f, words);
		fputc('\'', f);
	} else {
		fputs(" -x", f);
	}
}

static void fish(FILE *f)
{
	fputs("# fish completion for ncclhang, generated: ncclhang --complete fish\n"
	      "complete -c ncclhang -f\n",
		f);
	for (const struct nh_command *c = nh_commands; c->name; c++) {
		if (*c->name) {
			fish_line(f, NH_C_INSPECT);
			fprintf(f, " -a %s -d '%s'\n", c->name, c->summary);
		}
		fish_line(f, c->bit);
		fish_values(f, c->operand, NULL, true);
		fputc('\n', f);
	}
	for (const struct nh_option *o = nh_options; o->name; o++) {
		if (!o->commands)
			continue;
		fish_line(f, o->commands);
		if (o->key < 256)
			fprintf(f, " -s %c", o->key);
		fprintf(f, " -l %s", o->name);
		if (o->arg)
			fish_values(f, o->arg, o->words, o->words != NULL);
		fprintf(f, " -d '%s'\n", o->help);
	}
}

void nh_complete(FILE *f, const char *shell)
{
	static const struct {
		const char *shell;
		void (*print)(FILE *f);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(shells[i].shell, shell))
			shells[i].print(f);
}
